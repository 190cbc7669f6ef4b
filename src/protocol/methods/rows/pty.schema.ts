/**
 * Rows for a program on a terminal, as numbered chunks of output. Each is a session: `id` is its
 * session_id, and `seq` of a chunk is the cursor just past it, so the last one seen is the next
 * `since_seq`.
 */
import * as z from "zod";
import { DEFAULT_READ_BYTES } from "../../types/session.ts";
import { DEFAULT_SIZE } from "../../wire/start-request.ts";
import {
  CONTROL_ERRORS,
  base64,
  capped,
  cursor,
  dimension,
  durationFrom,
  exitStatus,
  integerFrom,
  nothing,
  sessionId,
} from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";
import { cwdField, envField, envModeField, idleTimeoutField, argvList } from "./run-fields.schema.ts";

const MAX_READ_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 60_000;

export const ptyOpen = row({
  name: "pty.open",
  summary: "start a program on a terminal, with only the environment given in the call",
  effect: "exec",
  params: z.strictObject({
    argv: argvList.optional().describe("The program and its arguments; default: the user's shell"),
    rows: dimension.default(DEFAULT_SIZE.rows),
    cols: dimension.default(DEFAULT_SIZE.cols),
    cwd: cwdField,
    env: envField,
    env_mode: envModeField.default("clean"),
    timeout_ms: durationFrom(1).nullable().default(null).describe("Longest run time"),
    idle_timeout_ms: idleTimeoutField,
  }),
  result: z.object({ id: z.string(), started_at: z.string() }),
  errors: ["ENOTFOUND", "EDENIED", "ERLIMIT", "EBUSY", "EIO"],
  examples: [{ argv: ["/bin/sh", "-c", "echo hello"] }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const ptySend = row({
  name: "pty.send",
  summary: "send bytes to a terminal as input",
  effect: "write",
  sessionParam: "id",
  params: z.strictObject({ id: sessionId, data: z.base64().describe("At most 2 MiB") }),
  result: z.object({
    bytes_written: z.int(),
    next_cursor: cursor.describe("End of its output just before the input: as a number, the since_seq of the reply"),
  }),
  errors: CONTROL_ERRORS,
  examples: [{ id: "k3f9q2", data: "IyBob2x0Cg==" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const ptyRead = row({
  name: "pty.read",
  summary: "read terminal output after a seq; waits for output",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    id: sessionId,
    since_seq: integerFrom(0).default(0).describe("The seq of the last chunk seen"),
    max_bytes: capped(1, MAX_READ_BYTES, DEFAULT_READ_BYTES),
    timeout_ms: capped(0, MAX_WAIT_MS, 1000).describe("If there is no output yet, wait this long for some"),
    strip_ansi: z
      .boolean()
      .default(false)
      .describe("Remove escape sequences; an incomplete one is left for the next read"),
  }),
  result: z.object({
    chunks: z.array(
      z.object({
        seq: z.int().describe("The cursor just past this chunk"),
        stream: z.enum(["stdout", "stderr"]).describe("stdout, or stderr for a command on pipes"),
        data: base64,
        ts: z.string(),
      }),
    ),
    closed: z.boolean().describe("The program has ended and no output follows"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ id: "d4k8w1" }, { id: "d4k8w1", since_seq: 14, max_bytes: 16, strip_ansi: true }],
  cli: null,
  deadlineMs: MAX_WAIT_MS + DEFAULT_DEADLINE_MS,
});

export const ptyResize = row({
  name: "pty.resize",
  summary: "set the size of a terminal",
  effect: "write",
  sessionParam: "id",
  params: z.strictObject({ id: sessionId, rows: dimension, cols: dimension }),
  result: nothing,
  errors: CONTROL_ERRORS,
  examples: [{ id: "k3f9q2", rows: 40, cols: 120 }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const ptySignal = row({
  name: "pty.signal",
  summary: "send a signal to the process group of a terminal's program; a job of a shell gets the matching key",
  effect: "write",
  sessionParam: "id",
  params: z.strictObject({ id: sessionId, signal: z.enum(["INT", "TERM", "HUP", "KILL", "QUIT"]) }),
  result: nothing,
  errors: CONTROL_ERRORS,
  examples: [{ id: "k3f9q2", signal: "INT" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const ptyClose = row({
  name: "pty.close",
  summary: "hang up a terminal and end all its processes; returns the exit status, also after the end",
  effect: "write",
  sessionParam: "id",
  params: z.strictObject({ id: sessionId }),
  result: z.object({
    rc: exitStatus.optional(),
    duration_ms: z.int().optional(),
  }),
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ id: "d4k8w1" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});
