import { ChannelText } from "../terminal/channel-text.ts";
import { cursorAfter, type ExportPart, type Piece } from "./pieces.ts";

/** The text of a session, as `holt logs --text` prints it. Gaps are left out. */
export function* textExport(pieces: Iterable<Piece>): Generator<ExportPart, void> {
  const text = new ChannelText();
  let cursor = 0;
  for (const piece of pieces) {
    cursor = cursorAfter(piece);
    if (piece.type === "data") yield { text: text.push(piece.channel, piece.bytes), cursor };
  }
  yield { text: text.end(), cursor };
}
