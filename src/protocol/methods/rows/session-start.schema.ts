/** The row of session.start. */
import * as z from "zod";
import { INPUT_SHARINGS, SIZE_RULES } from "../../wire/attach.ts";
import { expected } from "../expected.ts";
import { MAX_CELLS } from "../../wire/holder-methods.ts";
import { SETTINGS, SLOW_CLIENTS } from "../../types/settings.ts";
import { dimension, durationFrom, integerFrom, limits, restartPolicy, session } from "./fields.schema.ts";
import { row } from "./row.schema.ts";
import { channelsField, cwdField, envField, envModeField, idleTimeoutField, argvList } from "./run-fields.schema.ts";

const size = z
  .strictObject({ rows: dimension, cols: dimension })
  .refine(({ rows, cols }) => rows * cols <= MAX_CELLS, expected(`at most ${MAX_CELLS} cells`));

export const sessionStart = row({
  name: "session.start",
  summary: "start a command in the background; returns once the spawn has succeeded or failed",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    argv: argvList.optional().describe("The command and its arguments"),
    argv_base64: argvList.optional().describe("The same in base64, for arguments that are not UTF-8"),
    command: z
      .string()
      .optional()
      .describe(
        'Instead of argv: a shell command line, for $SHELL of its environment, else /bin/sh; "" on a terminal starts the shell itself',
      ),
    cwd: cwdField,
    env: envField,
    env_base64: z.array(z.string()).optional().describe("The whole environment as KEY=VALUE entries in base64"),
    env_mode: envModeField.default("project"),
    pty: z
      .union([z.literal(false), size])
      .optional()
      .describe("Size of its terminal; false: pipes"),
    name: z.string().nullable().default(null),
    session_id: z.string().nullable().default(null).describe("An unused id of your choice"),
    project_id: z.string().nullable().default(null),
    retention_seconds: integerFrom(1)
      .optional()
      .describe("Seconds that it is kept after its end; default: sessions.retention_seconds"),
    max_output_bytes: integerFrom(0).optional().describe("Most output bytes kept; default: sessions.max_output_bytes"),
    timeout_ms: durationFrom(1).nullable().default(null),
    idle_timeout_ms: idleTimeoutField,
    max_clients: integerFrom(0).optional().describe("Most attached clients; default: pty.max_clients"),
    slow_client: z
      .enum(SLOW_CLIENTS)
      .default(SETTINGS.slow_client.fallback)
      .describe(
        "close: disconnect an attached client that does not read for slow_client_ms; resync: keep it and resynchronize it later",
      ),
    slow_client_ms: durationFrom(1).optional().describe("Default: pty.slow_client_ms"),
    size_rule: z
      .enum(SIZE_RULES)
      .default("smallest")
      .describe("Which of the attached clients' sizes the session takes"),
    input: z.enum(INPUT_SHARINGS).default("shared").describe("shared: every driver may type; lease: one at a time"),
    stdin: z
      .union(
        [z.literal(false), z.string(), z.strictObject({ data: z.base64() })],
        expected('a text, {"data": "BASE64"}, or false for none'),
      )
      .optional()
      .describe(
        "With pty: false, the whole stdin: a text, bytes as {data} in base64, or false for none; default: stdin stays open for session.send",
      ),
    limits: limits
      .nullable()
      .default(null)
      .describe("Resource limits of the command and of each process that it starts"),
    channels: channelsField,
    linger: z.boolean().default(false).describe("Let processes that the command leaves behind go on running"),
    restart: restartPolicy.nullable().default(null).describe("Restart the command when it ends"),
    shell_integration: z
      .boolean()
      .default(true)
      .describe("Let an interactive bash, zsh or fish on a terminal report its commands; session.exec needs it"),
    umask: integerFrom(0, 0o777).optional(),
    open_files: integerFrom(0, 2 ** 31)
      .optional()
      .describe("Soft limit on open files; default: that of the daemon"),
    circumstances: z
      .string()
      .optional()
      .describe(
        "Hash of what a process inherits beside its environment; EBUSY with details.cold if the daemon's differs",
      ),
  }),
  result: session,
  errors: ["EEXISTS", "EDENIED", "ERLIMIT", "EIO", "EBUSY", "ENOTFOUND"],
  examples: [{ argv: ["echo", "hello"] }, { command: "seq 3 | tail -1", pty: false }],
  cli: "holt start",
  deadlineMs: 60_000,
});
