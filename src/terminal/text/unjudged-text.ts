import { counted } from "./counted.ts";

const WHY = "could not be judged: the expression backtracks too much";

/** Of output. */
export const SOME_UNJUDGED = `some of it ${WHY}`;

/** Of lines that an expression could not be tried on to the end. */
export function unjudgedText(lines: number): string {
  return `${counted(lines, "line")} ${WHY}`;
}
