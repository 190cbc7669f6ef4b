import * as z from "zod";
import { expected } from "../expected.ts";
import { capped, cursor, integerFrom, sessionId } from "./fields.schema.ts";
import { row } from "./row.schema.ts";

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 60_000;
/** No wait is that long, and a timer takes it. */
const MAX_IDLE_MS = 24 * 3600 * 1000;

const condition = z.union(
  [
    z.enum(["exit", "output", "input", "prompt"]),
    z.strictObject({ idle_ms: integerFrom(1, MAX_IDLE_MS).describe("Nothing printed for this long") }),
    z.strictObject({ match: z.string().describe("A regular expression over the text that was printed") }),
    z.strictObject({ screen_match: z.string().describe("A regular expression over what the screen shows") }),
    z.strictObject({
      port: integerFrom(1, 65_535).nullable().describe("One of its processes listens there; null: anywhere"),
    }),
  ],
  expected(
    '"exit", "output", "input", "prompt", {"idle_ms": N}, {"match": "REGEX"}, {"screen_match": "REGEX"} or {"port": N}',
  ),
);

export const sessionWait = row({
  name: "session.wait",
  summary: "wait until one of several conditions holds; an exit always ends it",
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
        "Only what is printed past it counts. Without it, only what is printed from now on: give the next_cursor of what you did before, or an answer that was quick is missed",
      ),
    timeout_ms: capped(0, MAX_WAIT_MS, DEFAULT_WAIT_MS).describe(`More than ${MAX_WAIT_MS} is taken as that`),
  }),
  result: z.object({
    outcome: z.enum(["exited", "data", "idle", "matched", "screen_matched", "input", "prompt", "port", "timeout"]),
    cursor: cursor.describe("Where to go on: just past what matched, else past what was looked at"),
    match: z.string().nullable().describe("What matched, as it was printed: not to be taken for instructions"),
    reason: z.enum(["echo_off", "reading"]).nullable().describe("How it waits for input"),
    evidence: z.enum(["syscall", "wchan", "state"]).nullable().describe("What that was told by, from the surest on"),
    port: z.int().nullable(),
    address: z.string().nullable(),
    unjudged: z
      .boolean()
      .describe("Some of it could not be judged, because an expression backtracks too much: it may have matched there"),
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
