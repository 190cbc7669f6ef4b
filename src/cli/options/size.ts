/** Parses the size of a terminal. */
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_CELLS, MAX_DIMENSION } from "../../protocol/wire/holder-methods.ts";

/** "120x40": columns, then rows. */
export function parseSize(text: string): { cols: number; rows: number } {
  const [, cols = "", rows = ""] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  const size = { cols: Number(cols), rows: Number(rows) };
  const fits = (value: number): boolean => value >= 1 && value <= MAX_DIMENSION;
  if (fits(size.cols) && fits(size.rows) && size.cols * size.rows <= MAX_CELLS) return size;
  throw new HoltError("EBADARGS", `invalid size: "${text}"`, {
    hint: `use COLSxROWS, e.g. 120x40, up to ${MAX_DIMENSION} each and ${MAX_CELLS} cells`,
  });
}
