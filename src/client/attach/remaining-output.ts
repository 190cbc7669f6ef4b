/**
 * Prints the output of an ended session that an attached terminal has not received. A holder exits
 * without waiting for its clients, and the files have everything. If much is missing, only the last
 * screen is shown.
 */
import type { Replay, ReplayKind } from "../../protocol/wire/attach.ts";
import { sharedModes } from "../../protocol/types/modes.ts";
import { screenAt } from "../../rendering/screen-at.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import type { UserScreen } from "./user-screen.ts";
import { readStored } from "../read/read-stored.ts";

/** Above this, the last screen is shorter. */
const MAX_REPLAY_BYTES = 1024 * 1024;

export interface RemainingOutputOptions {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  replay: ReplayKind;
}

export async function showRemainingOutput(
  { sessions, id, cursor, replay }: RemainingOutputOptions,
  screen: UserScreen,
): Promise<void> {
  using reader = sessions.reader(id);
  if (replay === "screen" && reader.end() - cursor > MAX_REPLAY_BYTES) {
    await showLastScreen(sessions, id, screen);
    return;
  }
  const filter = new ViewerFilter({ clipboard: false });
  for (const item of readStored(reader, cursor))
    if (item.type === "data" && item.channel === "pty") await screen.output(filter.push(item.bytes));
}

async function showLastScreen(sessions: LocalSessions, id: string, screen: UserScreen): Promise<void> {
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
