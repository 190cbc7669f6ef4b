/** Rows that run and list commands in an integrated shell. */
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
    "run a command in an integrated shell session; returns its output and exit code, and the shell's state stays",
  effect: "exec",
  isUntrusted: true,
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    command: z
      .string()
      .describe("The command as typed at the prompt; it may have several lines and is passed unchanged"),
    timeout_ms: capped(0, MAX_TIMEOUT_MS, DEFAULT_TIMEOUT_MS).describe(
      `After this time: outcome "running", and the command keeps running. More than ${MAX_TIMEOUT_MS} is taken as that`,
    ),
    max_bytes: capped(0, MAX_BYTES, DEFAULT_BYTES).describe(
      "Most output bytes in the answer; session.read returns the rest",
    ),
    takeover: z.boolean().default(false).describe("Take the keyboard if only one client may type"),
  }),
  result: z.object({
    outcome: z
      .enum(["done", "running", "session_ended", "replaced"])
      .describe('"session_ended": the shell exited. "replaced": the shell became another program (exec)'),
    exit_code: exitCode.describe("130 after ctrl-c; null while it runs"),
    cwd: z.string().nullable().describe("The shell's current directory"),
    started_at: time,
    ended_at: time.nullable(),
    duration_ms: duration,
    text: z.string().describe('Its output, with "\\r\\n" as "\\n"; invalid UTF-8 becomes U+FFFD'),
    data: z
      .string()
      .meta({ contentEncoding: "base64" })
      .describe('Its output as the terminal received it: "\\n" is "\\r\\n" there'),
    output_start: cursor,
    output_end: cursor.describe("End of its output; the current end while it runs"),
    next_cursor: cursor.describe("Where to continue reading"),
    truncated: z.boolean().describe("The output is longer than max_bytes, or some of it was not captured"),
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
  summary: "list the commands of an integrated shell, typed or sent by session.exec, also after its end",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    limit: integerFrom(1, MAX_LISTED).default(100).describe("Most commands in the answer, the newest"),
  }),
  result: z.object({
    shell: z.enum(SHELLS).nullable().describe("Null: the session is not an integrated shell"),
    commands: z
      .array(
        z.object({
          number: z.int(),
          command: z.string().nullable().describe("Null: a bash line excluded from the history"),
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
      .describe("Oldest first"),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ session_id: "k3f9q2" }, { session_id: "k3f9q2", limit: 1 }],
  cli: "holt commands",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
