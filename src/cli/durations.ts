import { parseDuration } from "../protocol/duration.ts";
import { HoltError } from "../protocol/errors.ts";

/** Of an option that takes one; null when it was not given. */
export function durationOf(option: string, text: string | null, leastMs = 1): number | null {
  if (text === null) return null;
  const ms = parseDuration(text);
  if (ms !== null && ms >= leastMs && ms < 2 ** 31) return ms;
  throw new HoltError("EBADARGS", `invalid --${option} "${text}"`, {
    hint: `use a ${leastMs > 0 ? "positive " : ""}duration, e.g. 500ms, 90s, 1h30m`,
  });
}
