/** What a screen needs, loaded with the first who wants one. */
import { TranscriptReader } from "../transcript/reader.ts";
import { SessionDir } from "../transcript/session-dir.ts";
import { LiveSource } from "./live-source.ts";
import { ScreenKeeper } from "./screen-keeper.ts";
import type { SessionTerminalOptions } from "./session-terminal.ts";

/** What it opens is open for as long as the holder lives. */
export function openScreen({ layout, id, writer, size }: SessionTerminalOptions): ScreenKeeper {
  const source = new LiveSource(writer, TranscriptReader.open(layout, id));
  return new ScreenKeeper(SessionDir.open(layout, id), source, size);
}
