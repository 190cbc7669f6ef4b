import { TextView } from "../../src/terminal/text/text-view.ts";

/** Renders the text of bytes cut at these positions. */
export function inPieces(bytes: Uint8Array, cuts: readonly number[]): string {
  const view = new TextView();
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  let out = "";
  for (let index = 1; index < at.length; index++) out += view.push(bytes.subarray(at[index - 1], at[index]));
  return out + view.end();
}
