/**
 * Rows that run a command for its result. Each run is a session: recorded, readable while it runs,
 * and independent of the caller.
 */
import * as z from "zod";
import { MAX_GRACE_MS } from "../../wire/holder-methods.ts";
import { DEFAULT_READ_BYTES } from "../../types/session.ts";
import { capped, cursor, durationFrom, integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";
import {
  channelsField,
  cwdField,
  encodingField,
  envField,
  envModeField,
  stdinField,
  recordFields,
  MAX_RUN_MS,
  outcomeFields,
  pageFields,
  RUN_MARGIN_MS,
  runTimeoutField,
  argvList,
} from "./run-fields.schema.ts";

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 60_000;
const START_ERRORS = ["ENOTFOUND", "EDENIED", "ERLIMIT", "EBUSY", "EIO", "EEXISTS"] as const;

export const NOTIFY_ON = ["exit", "output", "timeout"] as const;

const started = {
  command: z.string().optional().describe("A shell command line: for $SHELL of its environment, else /bin/sh"),
  args: argvList.optional().describe("Instead of command: a command and its arguments, without a shell"),
  cwd: cwdField,
  env: envField,
  env_mode: envModeField.default("project"),
  stdin: stdinField,
  channels: channelsField,
  ...recordFields,
  session_id: z
    .string()
    .nullable()
    .default(null)
    .describe("An unused id of your choice. Repeating the call with it after a lost answer runs nothing twice"),
};

const channels = z
  .record(z.string(), z.string())
  .describe("Output by channel: stdout and stderr; in the chosen encoding");

const parsedChannels = z
  .object({ stdout: z.string(), stderr: z.string() })
  .catchall(z.unknown())
  .describe("Output in the chosen encoding, and named channels parsed in their format");

export const execRun = row({
  name: "exec.run",
  summary: "run a command and return its result; one still running at yield_ms keeps running",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    ...started,
    timeout_ms: runTimeoutField
      .default(120_000)
      .describe("After this time its process tree is ended: SIGTERM, a grace period, SIGKILL"),
    yield_ms: durationFrom(0)
      .optional()
      .describe('Answer at the latest after this time, with state "running" if it still runs'),
    output_mode: z
      .enum(["buffered", "streaming"])
      .default("buffered")
      .describe("streaming: answer once it runs; read its output with exec.output"),
    detached: z.boolean().default(false).describe("Keep it running when the call is canceled or the connection closes"),
    max_bytes: capped(0, MAX_ANSWER_BYTES, DEFAULT_READ_BYTES).describe(
      "Most output bytes in the answer, over all channels",
    ),
    encoding: encodingField,
  }),
  result: z.object({
    ...outcomeFields,
    cwd: z.string(),
    channels: parsedChannels,
    channel_errors: z
      .record(z.string(), z.string())
      .describe("Channels returned as text because parsing failed, with the reason"),
    ...pageFields,
    output_complete: z.boolean().nullable().describe("False: a process that it left behind still held its output open"),
    usage: z.object({ cpu_ms: z.number(), max_rss_kb: z.number() }).nullable(),
    structured: z
      .object({ format: z.enum(["json", "jsonl", "yaml", "toml"]), data: z.unknown() })
      .nullable()
      .describe("Parsed stdout, if it is complete, at most 256 KiB and unambiguous data"),
  }),
  errors: START_ERRORS,
  examples: [
    { command: "echo hello; exit 3" },
    { command: `echo '{"passed": 42, "failed": 0}'` },
    { args: ["sort", "-r"], stdin: "a\nb\n" },
    { command: `echo working; echo '{"passed": 1}' >&3`, channels: [{ name: "metrics", format: "jsonl" }] },
    { command: "echo started; sleep 1; echo done", yield_ms: 300 },
  ],
  cli: null,
  deadlineMs: MAX_RUN_MS + RUN_MARGIN_MS,
});

export const execRunBackground = row({
  name: "exec.run_background",
  summary: "start a command in the background and return once it runs",
  effect: "exec",
  params: z.strictObject({
    ...started,
    timeout_ms: durationFrom(1).nullable().default(null).describe("After this time its process tree is ended"),
    notify_on: z
      .array(z.enum(NOTIFY_ON))
      .default([])
      .describe(
        "Notifications on this connection: exit (exec.completed or exec.failed), output (exec.output from the start), timeout (exec.failed)",
      ),
  }),
  result: z.object({
    session_id: z.string(),
    state: outcomeFields.state,
    started_at: z.string().nullable(),
    next_cursor: cursor,
    subscription_id: z
      .string()
      .nullable()
      .describe("Repeated in each notification; ends with the command, session.unsubscribe or the connection"),
  }),
  errors: [...START_ERRORS, "ERLIMIT"],
  examples: [{ command: "echo working" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const execStatus = row({
  name: "exec.status",
  summary: "report whether a command runs or how it ended",
  effect: "read",
  params: z.strictObject({ session_id: sessionId }),
  result: z.object({
    ...outcomeFields,
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    output_bytes: z.int().min(0).describe("Bytes printed so far, which is the end cursor"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ session_id: "d4k8w1" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const execCancel = row({
  name: "exec.cancel",
  summary: "end a command and all its processes; returns after its end",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    grace_ms: integerFrom(0, MAX_GRACE_MS)
      .optional()
      .describe("Grace period between SIGTERM and SIGKILL; default 5000"),
  }),
  result: execStatus.result,
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ session_id: "d4k8w1" }],
  cli: null,
  deadlineMs: MAX_GRACE_MS + RUN_MARGIN_MS,
});

export const execOutput = row({
  name: "exec.output",
  summary: "read a command's output by channel, from a cursor on",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    channel: z.string().optional().describe("Only this channel"),
    cursor: cursor.default("0").describe("Start of the read; continue with next_cursor"),
    max_bytes: capped(1, MAX_ANSWER_BYTES, DEFAULT_READ_BYTES),
    wait_ms: capped(0, MAX_WAIT_MS, 0).describe("If there is no output yet, wait this long for some"),
    encoding: encodingField,
  }),
  result: z.object({
    ...outcomeFields,
    channels,
    ...pageFields,
    eof: z.boolean().describe("The command has ended and no output follows"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ session_id: "d4k8w1" }, { session_id: "d4k8w1", cursor: "7", max_bytes: 16 }],
  cli: null,
  deadlineMs: MAX_WAIT_MS + DEFAULT_DEADLINE_MS,
});
