/** Validates session names. */
import { HoltError } from "./errors.ts";

/**
 * Control characters, line separators and bidirectional marks would break or reorder the line of a
 * list that shows the name. A surrogate without its other half (`\p{Cs}`) has no UTF-8 form, so the
 * name would be stored as another one.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function requireName(name: string): string {
  if (name.trim().length > 0 && name.length <= 128 && !UNPRINTABLE.test(name)) return name;
  throw new HoltError("EBADARGS", `invalid name ${JSON.stringify(name.slice(0, 140))}`, {
    hint: "use 1 to 128 printable characters, not all of them spaces",
  });
}
