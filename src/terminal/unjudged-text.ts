import { counted } from "./counted.ts";

/** Of lines that an expression could not be tried on to the end. */
export function unjudgedText(lines: number): string {
  return `${counted(lines, "line")} could not be judged: the expression backtracks too much`;
}
