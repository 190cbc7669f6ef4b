/** Detects whether a stream is a terminal, its width, and whether to use colour. */
import { getSize, isTerminal } from "../../platform/tty/terminal-device.ts";

export interface Style {
  readonly tty: boolean;
  readonly columns: number;
  paint(look: Look, text: string): string;
}

const CODES = {
  bold: ["1", "22"],
  dim: ["2", "22"],
  good: ["32", "39"],
  bad: ["31", "39"],
  warn: ["33", "39"],
  accent: ["36", "39"],
} as const;

export type Look = keyof typeof CODES | "plain";

type Environment = Record<string, string | undefined>;

export function stdoutStyle(env: Environment = process.env): Style {
  const tty = isTerminal(1);
  return makeStyle({ tty, columns: tty ? columnsOf(1) : 0, env });
}

export function stderrStyle(env: Environment = process.env): Style {
  const tty = isTerminal(2);
  return makeStyle({ tty, columns: tty ? columnsOf(2) : 0, env });
}

/** `columns` 0: unknown; then 80. */
export function makeStyle({ tty, columns, env }: { tty: boolean; columns: number; env: Environment }): Style {
  const coloured = tty && allowsColour(env);
  return {
    tty,
    columns: columns > 0 ? columns : 80,
    paint(look, text) {
      if (!coloured || look === "plain" || text === "") return text;
      const [on, off] = CODES[look];
      return `\x1b[${on}m${text}\x1b[${off}m`;
    },
  };
}

function columnsOf(fd: number): number {
  if (process.platform === "win32") return process.stdout.columns ?? 0;
  try {
    return getSize(fd).cols;
  } catch {
    return 0;
  }
}

/** NO_COLOR counts unless empty (no-color.org). CLICOLOR=0 is the BSD convention. */
function allowsColour(env: Environment): boolean {
  return (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" && env["CLICOLOR"] !== "0";
}
