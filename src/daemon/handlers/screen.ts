/** Handler of session.screen. */
import { formattedScreen } from "../../client/read/screen.ts";
import { changesSince, revisionOf } from "../../client/read/screen-changes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Handler } from "./handlers.ts";

export const screen: Handler<"session.screen"> = async (
  { session_id, format, cursor, since_revision },
  { daemon: { sessions }, signal },
) => {
  if (since_revision !== undefined && format !== "text")
    throw new HoltError("EBADARGS", "session.screen: since_revision needs format text");
  const at = cursor === undefined ? null : Number(cursor);
  const request = { sessions, session: sessions.get(session_id), at, progress() {}, signal };
  const { content, ...now } = await formattedScreen(request, format);
  const changed = since_revision === undefined ? null : await changesSince(request, since_revision, now);
  const { cols, rows, title, cursor: caret, modes } = now.screen;
  const { alternate_screen, app_cursor_keys, bracketed_paste } = modes;
  return {
    ...(changed === null ? { content } : { changed }),
    ...(since_revision === undefined ? {} : { revision_known: changed !== null }),
    revision: revisionOf(now),
    cursor: String(now.cursor),
    cols,
    rows,
    row: caret.row,
    col: caret.col,
    cursor_visible: caret.visible,
    title,
    alternate_screen,
    app_cursor_keys,
    bracketed_paste,
  };
};
