/** Fields shared by several rows. */
import * as z from "zod";
import { INPUT_SHARINGS, SIZE_RULES } from "../../wire/attach.ts";
import { MAX_DURATION_MS, MAX_TIMER_MS } from "../../types/duration.ts";
import { expected } from "../expected.ts";
import { MAX_DIMENSION } from "../../wire/holder-methods.ts";
import { CHANNEL_FORMATS, CHANNEL_SOURCES } from "../../types/channels.ts";
import type { Limits } from "../../types/limits.ts";
import { DEFAULT_DELAY_MS } from "../../types/restart.ts";
import { FINAL_REASONS, SESSION_STATES, type Session, type TransportMode } from "../../types/session.ts";

export const sessionId = z.string(expected("a session id")).describe("The exact id of a session");

const cursorRefusal = expected('a byte offset as a decimal string, e.g. "0"');
export const cursor = z.string(cursorRefusal).regex(/^\d{1,15}$/, cursorRefusal);

export function integerFrom(least: number, most = Number.MAX_SAFE_INTEGER) {
  const refusal = expected(
    `a whole number ${most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`}`,
  );
  return z.int(refusal).min(least, refusal).max(most, refusal);
}

/** Columns or rows of a terminal. */
export const dimension = integerFrom(1, MAX_DIMENSION);

export const base64 = z.string().meta({ contentEncoding: "base64" });

/** The exit status as in a shell's `$?`. */
export const exitStatus = z.int().describe("The exit code; 128 plus the signal number if a signal ended it");

/** Errors of methods that act on a live session. */
export const CONTROL_ERRORS = ["ENOTFOUND", "ESESSIONCLOSED", "EDENIED", "EIO"] as const;

/**
 * A value over the maximum is lowered to it: the answer is smaller or earlier, and says where to go
 * on.
 */
export function capped(least: number, most: number, fallback: number) {
  return integerFrom(least)
    .default(fallback)
    .transform((value) => Math.min(value, most));
}

export function durationFrom(least: number) {
  return integerFrom(least, MAX_DURATION_MS);
}

const time = z.string().describe("RFC 3339, UTC");
const count = z.int().min(0);
const identity = z.object({ pid: count, start_time: z.number().nullable(), boot_id: z.string().nullable() });

export const restartPolicy = z.strictObject({
  when: z.enum(["on_failure", "always"]),
  max_restarts: count.nullable().default(null).describe("Most restarts in a row; null: no limit"),
  delay_ms: integerFrom(0, MAX_TIMER_MS)
    .default(DEFAULT_DELAY_MS)
    .describe("Delay before the first restart; it doubles with each one"),
});

const limit = (what: string) => integerFrom(1).nullable().default(null).describe(what);

export const limits = z.strictObject({
  cpu_ms: limit("Processor time; rounded up to whole seconds by the kernel"),
  memory_bytes: limit("Address space, used or not"),
  files: limit("Open file descriptors"),
  processes: limit("Processes of the user, inside and outside of sessions"),
  file_size_bytes: limit("Size of any file that it writes"),
  session_memory_bytes: limit(
    "Memory in use by the whole session; over it all its processes are ended. Needs cgroup v2 (holt doctor)",
  ),
  session_processes: limit("Processes and threads of the whole session. Needs cgroup v2 (holt doctor)"),
}) satisfies z.ZodType<Limits>;

/** No bounds here: any recorded policy must be readable. */
const restart = z.object({
  ...restartPolicy.shape,
  delay_ms: count,
  count,
  in_a_row: count,
  starts_at: time.nullable(),
});

export const session = z.object({
  format: count,
  session_id: z.string(),
  name: z.string().nullable(),
  argv: z.array(z.string()),
  cwd: z.string(),
  env_keys: z.array(z.string()).describe("Names only: values are never stored"),
  transport_mode: z.enum(["posix-pty", "windows-conpty", "pipe"] satisfies TransportMode[]),
  tty_attached: z.boolean(),
  size: z.object({ cols: count, rows: count, width: count, height: count }).nullable().describe("Size at the start"),
  current_size: z.object({ cols: count, rows: count }).nullable().describe("Size after the last resize"),
  project_id: z.string().nullable(),
  shared: z.boolean(),
  retention_seconds: count,
  max_output_bytes: count,
  created_at: time,
  started_at: time.nullable(),
  process: identity.nullable(),
  holder: identity,
  socket: z.string().nullable(),
  holt_version: z.string(),
  previous_session_id: z.string().nullable().describe("The previous attempt of a restarted command"),
  next_session_id: z.string().nullable().describe("The next attempt"),
  restart: restart.nullable(),
  limits: z
    .object({
      cpu_ms: count.nullable(),
      memory_bytes: count.nullable(),
      files: count.nullable(),
      processes: count.nullable(),
      file_size_bytes: count.nullable(),
      session_memory_bytes: count.nullable(),
      session_processes: count.nullable(),
    })
    .nullable(),
  linger: z.boolean().describe("Processes that the command leaves behind may go on running"),
  timeout_ms: count.nullable().describe("It is ended after this time; null: never"),
  idle_timeout_ms: count
    .nullable()
    .describe("It is ended after this time without output, input, or a client that attaches or detaches; null: never"),
  client_rules: z
    .object({ input: z.enum(INPUT_SHARINGS), size_rule: z.enum(SIZE_RULES), max_clients: count })
    .nullable()
    .describe("Rules for attached clients; null: the defaults"),
  started_by: identity
    .extend({ label: z.string() })
    .nullable()
    .describe("The program that started it; null: the user on the command line"),
  channels: z
    .array(
      z.object({
        name: z.string(),
        format: z.enum(CHANNEL_FORMATS),
        source: z.enum(CHANNEL_SOURCES),
        path: z.string().nullable(),
      }),
    )
    .describe("Channels beside stdout, stderr and the terminal"),
  state: z.enum(SESSION_STATES),
  reason: z.enum(FINAL_REASONS).nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  ended_at: time.nullable(),
  duration_ms: z.number().nullable(),
  output_bytes: count,
  output_complete: z.boolean().nullable(),
  input_unread: count
    .nullable()
    .describe(
      "Bytes sent to the command and not read when it ended, as far as known; null while it lives, or where a secret may be among them",
    ),
  truncated: z.boolean(),
  usage: z
    .object({ cpu_ms: z.number(), cpu_user_ms: z.number(), cpu_system_ms: z.number(), max_rss_kb: z.number() })
    .nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  survivors: z
    .array(z.int())
    .describe("Processes that still run after the end: left by a lost holder, lingering, or impossible to end"),
  quiet: z.boolean().describe("Lives, but has not printed, read input or used the processor for a while"),
  quiet_since: time.nullable(),
  abridged: z
    .literal(true)
    .optional()
    .describe("In a list: argv or env_keys are cut short; session.get returns them in full"),
}) satisfies z.ZodType<Session>;

export const chunk = z.object({
  channel: z.string().describe("pty, stdout, stderr, or a named channel"),
  offset: cursor,
  length: count,
  timestamp: time,
  data: base64,
});

export const nothing = z.object({});
