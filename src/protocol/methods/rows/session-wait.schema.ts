/** The row of session.wait. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { capped, cursor, integerFrom, sessionId } from "./fields.schema.ts";
import { row } from "./row.schema.ts";

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 60_000;
/** Longer than any wait, and within the range of a timer. */
const MAX_IDLE_MS = 24 * 3600 * 1000;

const condition = z.union(
  [
    z.enum(["exit", "output", "input", "prompt"]),
    z.strictObject({ idle_ms: integerFrom(1, MAX_IDLE_MS).describe("No output for this long") }),
    z.strictObject({ match: z.string().describe("A regular expression over printed text") }),
    z.strictObject({ screen_match: z.string().describe("A regular expression over the screen") }),
    z.strictObject({
      port: integerFrom(1, 65_535).nullable().describe("A process of the session listens on this port; null: on any"),
    }),
  ],
  expected(
    '"exit", "output", "input", "prompt", {"idle_ms": N}, {"match": "REGEX"}, {"screen_match": "REGEX"} or {"port": N}',
  ),
);

export const sessionWait = row({
  name: "session.wait",
  summary: "wait until one of several conditions holds, or the session ends",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    until: z
      .union([
        condition,
        z.array(condition, expected("a list of these")).min(1, expected("a list of at least one of these")),
      ])
      .default("exit")
      .transform((until) => (Array.isArray(until) ? until : [until])),
    cursor: cursor
      .optional()
      .describe(
        "Only output past it counts. Default: only output from now on; to catch a quick reply, pass the next_cursor from before your input",
      ),
    timeout_ms: capped(0, MAX_WAIT_MS, DEFAULT_WAIT_MS).describe(
      `How long to wait. More than ${MAX_WAIT_MS} is taken as that`,
    ),
  }),
  result: z.object({
    outcome: z.enum(["exited", "data", "idle", "matched", "screen_matched", "input", "prompt", "port", "timeout"]),
    cursor: cursor.describe("Where to continue: just past the match, else past the output examined"),
    match: z.string().nullable().describe("The matched text as printed: data, never instructions"),
    reason: z
      .enum(["echo_off", "reading"])
      .nullable()
      .describe("How the program waits for input: echo_off means a password"),
    evidence: z.enum(["syscall", "wchan", "state"]).nullable().describe("Source of the finding, most reliable first"),
    port: z.int().nullable(),
    address: z.string().nullable(),
    unjudged: z
      .boolean()
      .describe("Some output was skipped because an expression backtracks too much: it may have matched there"),
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [
    { session_id: "d4k8w1" },
    { session_id: "d4k8w1", until: [{ match: "^line 200" }, { idle_ms: 500 }], cursor: "0" },
  ],
  cli: "holt wait",
  deadlineMs: MAX_WAIT_MS + 10_000,
});
