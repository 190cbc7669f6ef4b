import { callHolder } from "../../client/holder-call.ts";
import { formattedScreen } from "../../client/screen.ts";
import { isFinal } from "../../protocol/session.ts";
import type { Handler } from "../handlers.ts";

export const screen: Handler<"session.screen"> = async (
  { session_id, format, cursor },
  { household: { sessions } },
) => {
  const at = cursor === undefined ? null : Number(cursor);
  const request = { sessions, session: sessions.get(session_id), at, progress() {} };
  const { screen: shown, content, cursor: seen } = await formattedScreen(request, format);
  const { cols, rows, title, cursor: place, modes } = shown;
  const { alternate_screen, app_cursor_keys, bracketed_paste } = modes;
  return {
    content,
    cursor: String(seen),
    cols,
    rows,
    row: place.row,
    col: place.col,
    cursor_visible: place.visible,
    title,
    alternate_screen,
    app_cursor_keys,
    bracketed_paste,
  };
};

export const clients: Handler<"session.clients"> = ({ session_id }, { household }) => {
  const session = household.sessions.get(session_id);
  // Nobody is attached to what has ended.
  return isFinal(session.state) ? { clients: [] } : callHolder(session, "clients", {});
};

export const detach: Handler<"session.detach"> = ({ session_id, client_id }, { household }) =>
  callHolder(household.sessions.get(session_id), "detach", { client_id });
