import * as z from "zod";
import { INPUT_SHARINGS, SIZE_RULES } from "../../wire/attach.ts";
import { expected } from "../expected.ts";
import { MAX_CELLS } from "../../wire/holder-methods.ts";
import { SETTINGS, SLOW_CLIENTS } from "../../types/settings.ts";
import { dimension, durationFrom, integerFrom, limits, restartPolicy, session } from "./fields.schema.ts";
import { row } from "./row.schema.ts";
import { channelList, directory, environment, envMode, idleTimeout, words } from "./run-fields.schema.ts";

const size = z
  .strictObject({ rows: dimension, cols: dimension })
  .refine(({ rows, cols }) => rows * cols <= MAX_CELLS, expected(`at most ${MAX_CELLS} cells`));

export const sessionStart = row({
  name: "session.start",
  summary: "start a command in the background; answers once the outcome of the spawn is known",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    argv: words.optional().describe("The command and its arguments"),
    argv_base64: words.optional().describe("The same as bytes, which need not be UTF-8"),
    command: z
      .string()
      .optional()
      .describe(
        'A line for the shell, instead of argv: $SHELL of its environment, else /bin/sh; "" on a terminal is the shell itself',
      ),
    cwd: directory,
    env: environment,
    env_base64: z.array(z.string()).optional().describe("KEY=VALUE entries as bytes: the whole environment"),
    env_mode: envMode.default("project"),
    pty: z
      .union([z.literal(false), size])
      .optional()
      .describe("Its terminal's size; false: pipes"),
    name: z.string().nullable().default(null),
    session_id: z.string().nullable().default(null).describe("An id of your own; it must not be taken"),
    project_id: z.string().nullable().default(null),
    retention_seconds: integerFrom(1)
      .optional()
      .describe("How long it is kept after its end; sessions.retention_seconds without it"),
    max_output_bytes: integerFrom(0)
      .optional()
      .describe("How much of its output is kept; sessions.max_output_bytes without it"),
    timeout_ms: durationFrom(1).nullable().default(null),
    idle_timeout_ms: idleTimeout,
    max_clients: integerFrom(0).optional().describe("So many may be attached at once; pty.max_clients without it"),
    slow_client: z
      .enum(SLOW_CLIENTS)
      .default(SETTINGS.slow_client.fallback)
      .describe(
        "An attached client that takes nothing is let go after slow_client_ms, or kept and brought up to date later",
      ),
    slow_client_ms: durationFrom(1).optional().describe("pty.slow_client_ms without it"),
    size_rule: z.enum(SIZE_RULES).default("smallest").describe("Of those attached, whose size counts"),
    input: z.enum(INPUT_SHARINGS).default("shared").describe("Who may type: all, or one at a time"),
    stdin: z
      .union(
        [z.literal(false), z.string(), z.strictObject({ data: z.base64() })],
        expected('a text, {"data": "BASE64"}, or false for none'),
      )
      .optional()
      .describe(
        "With pty: false, all that it reads from its stdin: a text, bytes as {data} in base64, or false for none; without it, stdin stays open for session.send",
      ),
    limits: limits
      .nullable()
      .default(null)
      .describe("What the command, and each process that it starts, may use at most"),
    channels: channelList,
    linger: z.boolean().default(false).describe("What the command leaves running when it ends may go on"),
    restart: restartPolicy.nullable().default(null).describe("Whether it is started again when it ends"),
    shell_integration: z
      .boolean()
      .default(true)
      .describe("Let an interactive bash, zsh or fish on a terminal tell of its commands: session.exec needs it"),
    umask: integerFrom(0, 0o777).optional(),
    open_files: integerFrom(0, 2 ** 31)
      .optional()
      .describe("The soft limit on open files; without it that which the daemon was started with"),
    circumstances: z
      .string()
      .optional()
      .describe(
        "What a process inherits beside its environment; where the daemon's differ it answers EBUSY with details.cold",
      ),
  }),
  result: session,
  errors: ["EEXISTS", "EDENIED", "ERLIMIT", "EIO", "EBUSY", "ENOTFOUND"],
  examples: [{ argv: ["echo", "hello"] }, { command: "seq 3 | tail -1", pty: false }],
  cli: "holt start",
  deadlineMs: 60_000,
});
