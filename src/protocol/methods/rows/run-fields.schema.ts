/** Fields of rows that run a command and return its output. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { CHANNEL_FORMATS, CHANNEL_SOURCES, isChannelName, MAX_CHANNELS } from "../../types/channels.ts";
import { FINAL_REASONS, SESSION_STATES } from "../../types/session.ts";
import { MAX_STDIN_BYTES } from "../../wire/start-request.ts";
import { cursor, durationFrom, integerFrom } from "./fields.schema.ts";

/** Longest wait of one call. Longer commands are started with exec.run_background. */
export const MAX_RUN_MS = 3_600_000;
/** Time beyond the command's timeout: its grace period, remaining processes, a slow disk. */
export const RUN_MARGIN_MS = 30_000;

export const argvList = z
  .array(z.string(expected("a text")), expected("a list of texts"))
  .min(1, expected("at least the command"));

export const cwdField = z
  .string()
  .optional()
  .describe("Absolute path; default: the home directory of the daemon's user");

export const ENV_MODES = ["clean", "project", "inherit"] as const;

export const envField = z
  .record(z.string(), z.string().nullable())
  .default({})
  .describe("Environment variables; null removes one");

export const envModeField = z
  .enum(ENV_MODES)
  .describe(
    "clean: only the given variables; inherit: the same, for a caller that gives its whole environment; project: the given variables over a base (PATH, HOME, LANG …)",
  );

/** As in session.start, but stdin is empty by default. */
export const stdinField = z
  .union(
    [z.boolean(), z.string(), z.strictObject({ data: z.base64() })],
    expected('a text, {"data": "BASE64"}, false for none, or true to keep it open'),
  )
  .default(false)
  .describe(
    `The whole stdin: a text, or bytes as {data} in base64, at most ${MAX_STDIN_BYTES} bytes; false: empty; true: open for session.send, which needs yield_ms or a background command`,
  );

export const runTimeoutField = durationFrom(1).max(
  MAX_RUN_MS,
  expected(`at most ${MAX_RUN_MS}: exec.run_background has no such limit`),
);

export const encodingField = z
  .enum(["text", "base64"])
  .default("text")
  .describe("text: invalid UTF-8 becomes U+FFFD; base64: the bytes");

export const recordFields = {
  name: z.string().nullable().default(null),
  project_id: z.string().nullable().default(null),
  retention_seconds: integerFrom(1).optional().describe("Seconds that the session is kept after its end"),
};

/** Channels beside stdout and stderr. */
export const channelsField = z
  .array(
    z.strictObject({
      name: z.string().refine(isChannelName, expected("a name of a-z, 0-9 and _, which is not pty, stdout or stderr")),
      format: z.enum(CHANNEL_FORMATS).default("raw").describe("The form in which it is returned"),
      source: z
        .enum(CHANNEL_SOURCES)
        .default("fd")
        .describe(
          "fd: a descriptor, HOLT_CHANNEL_NAME_FD; file: bytes appended to path, HOLT_CHANNEL_NAME_PATH; socket: a unix socket, HOLT_CHANNEL_NAME_SOCKET; structured: stdout itself, parsed",
        ),
      path: z.string().nullable().default(null).describe("For source file: absolute, or relative to cwd"),
    }),
  )
  .max(MAX_CHANNELS, expected(`at most ${MAX_CHANNELS}`))
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, expected("each name once"))
  .refine(
    (list) => list.every(({ source, path }) => (source === "file") === (path !== null)),
    expected("a path with source file, and only there"),
  )
  .default([])
  .describe("Channels beside stdout and stderr, captured under their names");

const count = z.int().min(0);

/** State of a command, final or so far. */
export const outcomeFields = {
  session_id: z.string(),
  state: z.enum(SESSION_STATES).describe("running: it still runs; read the rest with exec.output"),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(FINAL_REASONS).nullable(),
  timed_out: z.boolean().describe("It was ended at its timeout, with all its processes"),
  duration_ms: count.describe("Run time until its end, or so far"),
};

export const pageFields = {
  next_cursor: cursor.describe("Where to continue reading: exec.output, session.read"),
  truncated: z
    .boolean()
    .describe("Some output is missing here: continue at next_cursor; what is not there was not captured"),
};

export const idleTimeoutField = durationFrom(1)
  .nullable()
  .optional()
  .describe(
    "It ends after this time without output, input, or a client that attaches, detaches or resizes it; null: never. Default: pty.idle_ttl_seconds or timeouts.idle_ms, else 15 minutes for a terminal started over HTTP",
  );
