/** Messages about text on which a regular expression gave up. */
import { counted } from "./counted.ts";

const WHY = "could not be judged: the expression backtracks too much";

/** For output in general. */
export const SOME_UNJUDGED = `some of it ${WHY}`;

/** For a number of lines. */
export function unjudgedText(lines: number): string {
  return `${counted(lines, "line")} ${WHY}`;
}
