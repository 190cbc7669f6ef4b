import { ChannelText } from "../terminal/channel-text.ts";
import { cursorAfter, type ExportPart, type Piece } from "./pieces.ts";

/** The text of a session, as `holt logs --text` prints it. Of a gap, that a line ends there. */
export function* textExport(pieces: Iterable<Piece>): Generator<ExportPart, void> {
  const text = new ChannelText();
  let cursor = 0;
  for (const piece of pieces) {
    cursor = cursorAfter(piece);
    yield { text: piece.type === "data" ? text.push(piece.channel, piece.bytes) : text.cut(), cursor };
  }
  yield { text: text.end(), cursor };
}
