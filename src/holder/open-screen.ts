/** What a screen needs, loaded with the first who wants one. */
import { TranscriptReader } from "../transcript/reader.ts";
import { SessionDir } from "../transcript/session-dir.ts";
import { LiveSource } from "./live-source.ts";
import { ScreenKeeper } from "./screen-keeper.ts";
import type { SessionTerminalOptions } from "./session-terminal.ts";

/** What it opens it closes. */
export function openScreen({ layout, id, writer, size }: SessionTerminalOptions): ScreenKeeper {
  const reader = TranscriptReader.open(layout, id);
  const dir = SessionDir.open(layout, id);
  const close = (): void => [reader, dir].forEach((opened) => opened[Symbol.dispose]());
  return new ScreenKeeper({ dir, source: new LiveSource(writer, reader), size, close });
}
