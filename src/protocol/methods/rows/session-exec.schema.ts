/** Commands in a live shell. */
import * as z from "zod";
import { SHELLS } from "../../types/shell-command.ts";
import { capped, cursor, integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 60_000;
const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_LISTED = 1000;

const exitCode = z.int().nullable();
const time = z.string().describe("RFC 3339, UTC");
const duration = z.number().nullable();

export const sessionExec = row({
  name: "session.exec",
  summary:
    "run a command in the live shell that a session is, and answer with its output and exit code; the shell's state stays",
  effect: "exec",
  isUntrusted: true,
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    command: z
      .string()
      .describe("As typed at the prompt; it may have several lines, and nothing of it is altered on its way"),
    timeout_ms: capped(0, MAX_TIMEOUT_MS, DEFAULT_TIMEOUT_MS).describe(
      `Not done by then: outcome "running", and it goes on. More than ${MAX_TIMEOUT_MS} is taken as that`,
    ),
    max_bytes: capped(0, MAX_BYTES, DEFAULT_BYTES).describe("Of its output; session.read has the rest"),
    takeover: z.boolean().default(false).describe("Take the keyboard, where one client alone may type"),
  }),
  result: z.object({
    outcome: z
      .enum(["done", "running", "session_ended", "replaced"])
      .describe('"session_ended": the shell exited in it. "replaced": it became another program (exec)'),
    exit_code: exitCode.describe("130 after ctrl-c; null while it runs"),
    cwd: z.string().nullable().describe("Where the shell is now"),
    started_at: time,
    ended_at: time.nullable(),
    duration_ms: duration,
    text: z.string().describe('Its output, with "\\r\\n" as "\\n"; what is no UTF-8 is U+FFFD'),
    data: z
      .string()
      .meta({ contentEncoding: "base64" })
      .describe('Its output as the terminal was sent it: "\\n" is "\\r\\n" there'),
    output_start: cursor,
    output_end: cursor.describe("While it runs: so far"),
    next_cursor: cursor.describe("Where to go on reading"),
    truncated: z.boolean().describe("There is more than max_bytes, or some of it was not kept"),
  }),
  errors: ["ENOTFOUND", "ESESSIONCLOSED", "EDENIED", "EBUSY", "EIO"],
  examples: [
    { session_id: "k3f9q2", command: "cd /tmp && pwd" },
    { session_id: "k3f9q2", command: "for n in 1 2 3; do\n  echo $n\ndone", timeout_ms: 5000 },
  ],
  cli: "holt exec",
  deadlineMs: MAX_TIMEOUT_MS + 15_000,
});

export const sessionCommands = row({
  name: "session.commands",
  summary: "list the commands run in an integrated shell, typed or by session.exec, also after its end",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    limit: integerFrom(1, MAX_LISTED).default(100).describe("The newest"),
  }),
  result: z.object({
    shell: z.enum(SHELLS).nullable().describe("Null: the session is no integrated shell"),
    commands: z
      .array(
        z.object({
          number: z.int(),
          command: z.string().nullable().describe("Null: bash was told not to remember that line"),
          command_cut: z.boolean(),
          by: z.enum(["exec", "typed"]),
          cwd: z.string().nullable(),
          started_at: time,
          ended_at: time.nullable().describe("Null while it runs"),
          duration_ms: duration,
          exit_code: exitCode,
          output_start: cursor,
          output_end: cursor.nullable(),
        }),
      )
      .describe("In their order"),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ session_id: "k3f9q2" }, { session_id: "k3f9q2", limit: 1 }],
  cli: "holt commands",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
