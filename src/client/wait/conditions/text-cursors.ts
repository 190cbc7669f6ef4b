/** Maps a character of the text of the last piece to its cursor in the transcript. */
import { joined } from "../../../protocol/types/bytes.ts";
import { PlainText } from "../../../terminal/text/plain-text.ts";

interface Piece {
  cursor: number;
  bytes: Uint8Array;
}

/** After a longer escape sequence, the piece's end is used instead. */
const MAX_BYTES = 256 * 1024;

export class TextCursors {
  #piece: Piece = { cursor: 0, bytes: new Uint8Array(0) };
  /**
   * Bytes before the piece, since the text was last between characters and sequences; null if too
   * many.
   */
  #lead: Uint8Array | null = new Uint8Array(0);
  #next: Uint8Array | null = new Uint8Array(0);

  push(piece: Piece, isBetween: boolean): void {
    this.#piece = piece;
    this.#lead = this.#next;
    const open =
      this.#lead === null || this.#lead.length + piece.bytes.length > MAX_BYTES
        ? null
        : joined([this.#lead, piece.bytes]);
    this.#next = isBetween ? new Uint8Array(0) : open;
  }

  /** The cursor just past that many characters of the last piece's text. */
  cursorAfter(characters: number): number {
    const { cursor, bytes } = this.#piece;
    if (this.#lead === null) return cursor + bytes.length;
    const text = new PlainText();
    text.push(this.#lead);
    let at = 0;
    for (let seen = 0; at < bytes.length && seen < characters; at++)
      seen += text.push(bytes.subarray(at, at + 1)).length;
    return cursor + at;
  }
}
