/** Whether output only ever adds to a line: text, and its colours, which are no text. Anything else may take back what was printed before it. */
import type { Channel } from "../protocol/session.ts";
import type { Chunk } from "../transcript/reader.ts";

const ESC = "\x1b";
const COLOURS = new RegExp(`${ESC}\\[[\\d:;]*m`, "g");
const COLOUR_BEGUN = new RegExp(`${ESC}(?:\\[[\\d:;]*)?$`);
/** As bytes: a tab, and all that is neither a control character nor DEL. */
const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/;
/** Nobody's colour is longer. */
const LONGEST_COLOUR = 64;

/** Nothing of it before `end` changes what was printed before it, and no channel is within a colour there. */
export function isPlain(chunks: readonly Chunk[], end: number): boolean {
  const begun = new Map<Channel, string>();
  for (const { channel, offset, bytes } of chunks) {
    const text = (begun.get(channel) ?? "") + characters(bytes.subarray(0, Math.max(0, end - offset)));
    const rest = text.replace(COLOURS, "");
    const [colour = ""] = COLOUR_BEGUN.exec(rest) ?? [];
    if (NOT_TEXT.test(rest.slice(0, rest.length - colour.length))) return false;
    begun.set(channel, colour);
  }
  return [...begun.values()].every((colour) => colour === "");
}

/** How many bytes at the end may belong to a character, or a colour, that goes on. */
export function unfinished(bytes: Uint8Array): number {
  const [colour = ""] = COLOUR_BEGUN.exec(characters(bytes.subarray(-LONGEST_COLOUR))) ?? [];
  if (colour !== "") return colour.length;
  const isContinuation = (byte: number): boolean => byte >= 0x80 && byte < 0xc0;
  for (let count = 1; count <= Math.min(4, bytes.length); count++) {
    const byte = bytes.at(-count) ?? 0;
    if (!isContinuation(byte)) return byte >= 0xc0 ? count : count - 1;
  }
  return 0;
}

/** One a byte. */
function characters(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
