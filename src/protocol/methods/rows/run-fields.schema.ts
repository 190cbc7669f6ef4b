/** Fields of the rows that run a command and answer with what it printed. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { CHANNEL_FORMATS, CHANNEL_SOURCES, isChannelName, MAX_CHANNELS } from "../../types/channels.ts";
import { FINAL_REASONS, SESSION_STATES } from "../../types/session.ts";
import { MAX_STDIN_BYTES } from "../../wire/start-request.ts";
import { cursor, durationFrom, integerFrom } from "./fields.schema.ts";

/** How long one call may wait for the end of a command. What lasts longer is started with exec.run_background. */
export const MAX_RUN_MS = 3_600_000;
/** Beyond the command's time: its grace, what it left behind, a slow disk. */
export const RUN_MARGIN_MS = 30_000;

export const words = z
  .array(z.string(expected("a text")), expected("a list of texts"))
  .min(1, expected("at least the command"));

export const directory = z.string().optional().describe("Absolute; the home directory of the daemon's user without it");

export const ENV_MODES = ["clean", "project", "inherit"] as const;

export const environment = z
  .record(z.string(), z.string().nullable())
  .default({})
  .describe("Variables for the command; null: not set");

export const envMode = z
  .enum(ENV_MODES)
  .describe(
    "clean, inherit: nothing but what is given (inherit: all of the caller's own); project: over what every command needs (PATH, HOME, LANG …)",
  );

/** As session.start has it, but for its end: a command that is run reads nothing unless it is given something. */
export const givenInput = z
  .union(
    [z.boolean(), z.string(), z.strictObject({ data: z.base64() })],
    expected('a text, {"data": "BASE64"}, false for none, or true to keep it open'),
  )
  .default(false)
  .describe(
    `All that it reads: a text, or bytes as {data} in base64, of up to ${MAX_STDIN_BYTES} bytes; false: nothing; true: what session.send brings, which takes a yield_ms or a command in the background`,
  );

export const runTimeout = durationFrom(1).max(
  MAX_RUN_MS,
  expected(`at most ${MAX_RUN_MS}: exec.run_background has no such limit`),
);

export const encoding = z
  .enum(["text", "base64"])
  .default("text")
  .describe("text: what is no UTF-8 becomes U+FFFD; base64: the bytes");

export const kept = {
  name: z.string().nullable().default(null),
  project_id: z.string().nullable().default(null),
  retention_seconds: integerFrom(1).optional().describe("How long the session is kept after its end"),
};

/** What it says beside what it prints. */
export const channelList = z
  .array(
    z.strictObject({
      name: z.string().refine(isChannelName, expected("a name of a-z, 0-9 and _, which is not pty, stdout or stderr")),
      format: z.enum(CHANNEL_FORMATS).default("raw").describe("How it is given back"),
      source: z
        .enum(CHANNEL_SOURCES)
        .default("fd")
        .describe(
          "fd: a descriptor, HOLT_CHANNEL_NAME_FD; file: what is added to path, HOLT_CHANNEL_NAME_PATH; socket: a unix socket, HOLT_CHANNEL_NAME_SOCKET; structured: stdout itself, parsed",
        ),
      path: z.string().nullable().default(null).describe("Of a file: absolute, or relative to cwd"),
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

/** What became of a command, so far. */
export const outcome = {
  session_id: z.string(),
  state: z.enum(SESSION_STATES).describe("running: it goes on; exec.output has the rest"),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(FINAL_REASONS).nullable(),
  timed_out: z.boolean().describe("It was ended, with everything that it started, when its time was up"),
  duration_ms: count.describe("Until its end, or so far"),
};

export const page = {
  next_cursor: cursor.describe("Where to go on reading: exec.output, session.read"),
  truncated: z
    .boolean()
    .describe("Not all that it printed is here: the rest is at next_cursor, or, where nothing is, was not kept"),
};

export const idleTimeout = durationFrom(1)
  .nullable()
  .optional()
  .describe(
    "It ends after so long without output, input, or a client that comes, goes or resizes it; null: never. Without it pty.idle_ttl_seconds or timeouts.idle_ms, else 15 minutes for a terminal started over HTTP",
  );
