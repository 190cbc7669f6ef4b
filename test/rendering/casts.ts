/** Reads recordings with a Python program. */
import { expect } from "bun:test";
import type { Session } from "../../src/protocol/types/session.ts";
import { collect } from "../support/holt.ts";
import { finalOf, metaOf } from "../support/records.ts";

export interface Cast {
  header: Record<string, unknown>;
  size: [cols: number, rows: number];
  /** Milliseconds from the start. */
  events: [at: number, code: string, data: string][];
}

export async function readCast(text: string): Promise<Cast> {
  const [cast] = await readCasts([text]);
  return cast as Cast;
}

export async function readCasts(texts: readonly string[]): Promise<Cast[]> {
  const reader = new URL("../fixtures/read-cast.py", import.meta.url).pathname;
  const stdin = texts.map((text) => `${text}\0`).join("");
  const options = { stdin, env: process.env as Record<string, string>, cwd: "/" };
  const { text: json, stderr, exitCode } = await collect(["python3", reader], options);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const lines = json.trimEnd().split("\n");
  expect(lines).toHaveLength(texts.length);
  return lines.map((line) => JSON.parse(line) as Cast);
}

export function printed({ events }: Cast): string {
  return events.flatMap(([, code, data]) => (code === "o" ? [data] : [])).join("");
}

export function sessionOf(changes: Partial<Session> = {}): Session {
  return {
    ...metaOf("x"),
    ...finalOf("x"),
    survivors: [],
    current_size: null,
    next_session_id: null,
    quiet: false,
    quiet_since: null,
    ...changes,
  };
}
