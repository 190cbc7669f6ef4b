/**
 * What an attached terminal has not been sent of a session that has ended: its holder waits for nobody, and the files have it all. Of much, the last
 * screen alone.
 */
import type { Replay, ReplayKind } from "../../protocol/wire/attach.ts";
import { sharedModes } from "../../protocol/types/modes.ts";
import { screenAt } from "../../rendering/screen-at.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import type { PersonScreen } from "./user-screen.ts";
import { stored } from "../read/read-stored.ts";

/** A screen is shorter than what led to it. */
const MUCH_BYTES = 1024 * 1024;

export interface RestOptions {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  replay: ReplayKind;
}

export async function showRest({ sessions, id, cursor, replay }: RestOptions, screen: PersonScreen): Promise<void> {
  using reader = sessions.reader(id);
  if (replay === "screen" && reader.end() - cursor > MUCH_BYTES) {
    await showLastScreen(sessions, id, screen);
    return;
  }
  const filter = new ViewerFilter({ clipboard: false });
  for (const item of stored(reader, cursor))
    if (item.type === "data" && item.channel === "pty") await screen.output(filter.push(item.bytes));
}

async function showLastScreen(sessions: LocalSessions, id: string, screen: PersonScreen): Promise<void> {
  using renderer = await screenAt({ layout: sessions.layout, id, cursor: null });
  const { cursor, cols, rows, replay } = renderer.replay(0);
  const { modes, title } = renderer.emulator;
  const head: Replay = {
    client_id: "",
    cursor: String(cursor),
    cols,
    rows,
    modes: sharedModes(modes),
    title,
    bytes: replay.length,
  };
  await screen.replay(head, replay, "screen");
}
