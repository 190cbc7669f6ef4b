/** Commands that are run for their result. Each is a session: kept, readable while it runs, and alive whatever becomes of the caller. */
import * as z from "zod";
import { MAX_GRACE_MS } from "../../wire/holder-methods.ts";
import { DEFAULT_READ_BYTES } from "../../types/session.ts";
import { capped, cursor, durationFrom, integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";
import {
  channelList,
  directory,
  encoding,
  environment,
  envMode,
  givenInput,
  kept,
  MAX_RUN_MS,
  outcome,
  page,
  RUN_MARGIN_MS,
  runTimeout,
  words,
} from "./run-fields.schema.ts";

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 60_000;
const START_ERRORS = ["ENOTFOUND", "EDENIED", "ERLIMIT", "EBUSY", "EIO", "EEXISTS"] as const;

export const NOTIFY_ON = ["exit", "output", "timeout"] as const;

const started = {
  command: z.string().optional().describe("A line for the shell: $SHELL of its environment, else /bin/sh"),
  args: words.optional().describe("A command and its arguments instead; no shell reads them"),
  cwd: directory,
  env: environment,
  env_mode: envMode.default("project"),
  stdin: givenInput,
  channels: channelList,
  ...kept,
  session_id: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "An id of your own; it must not be taken. Who calls again because the answer was lost runs nothing twice",
    ),
};

const channels = z
  .record(z.string(), z.string())
  .describe("What it printed, by channel: stdout and stderr; in the chosen encoding");

const parsedChannels = z
  .object({ stdout: z.string(), stderr: z.string() })
  .catchall(z.unknown())
  .describe(
    "What it printed, in the chosen encoding, and what it said on channels of its own, parsed as their format says",
  );

export const execRun = row({
  name: "exec.run",
  summary: "run a command and answer with its result; one that is not done by yield_ms runs on",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    ...started,
    timeout_ms: runTimeout.default(120_000).describe("Then its whole tree is ended: SIGTERM, a grace, SIGKILL"),
    yield_ms: durationFrom(0).optional().describe('Answer by then at the latest, with state "running" if it is so'),
    output_mode: z
      .enum(["buffered", "streaming"])
      .default("buffered")
      .describe("streaming: answer as soon as it runs; read it with exec.output as it comes"),
    detached: z.boolean().default(false).describe("A canceled call, or a connection that closes, does not end it"),
    max_bytes: capped(0, MAX_ANSWER_BYTES, DEFAULT_READ_BYTES).describe("Of all channels together in the answer"),
    encoding,
  }),
  result: z.object({
    ...outcome,
    cwd: z.string(),
    channels: parsedChannels,
    channel_errors: z
      .record(z.string(), z.string())
      .describe("Channels that could not be parsed, and are text, and why"),
    ...page,
    output_complete: z
      .boolean()
      .nullable()
      .describe("False: something that it left running still held its output open"),
    usage: z.object({ cpu_ms: z.number(), max_rss_kb: z.number() }).nullable(),
    structured: z
      .object({ format: z.enum(["json", "jsonl", "yaml", "toml"]), data: z.unknown() })
      .nullable()
      .describe("What stdout says, where all of it is here, of up to 256 KiB, and is data beyond doubt"),
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
  summary: "start a command and answer once it runs",
  effect: "exec",
  params: z.strictObject({
    ...started,
    timeout_ms: durationFrom(1).nullable().default(null).describe("Then its whole tree is ended"),
    notify_on: z
      .array(z.enum(NOTIFY_ON))
      .default([])
      .describe(
        "Notifications to this connection: exit as exec.completed or exec.failed, output as exec.output from the beginning on, timeout as exec.failed",
      ),
  }),
  result: z.object({
    session_id: z.string(),
    state: outcome.state,
    started_at: z.string().nullable(),
    next_cursor: cursor,
    subscription_id: z
      .string()
      .nullable()
      .describe("In each of its notifications; ends with the command, session.unsubscribe or the connection"),
  }),
  errors: [...START_ERRORS, "ERLIMIT"],
  examples: [{ command: "echo working" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const execStatus = row({
  name: "exec.status",
  summary: "report whether a command still runs, or how it ended",
  effect: "read",
  params: z.strictObject({ session_id: sessionId }),
  result: z.object({
    ...outcome,
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    output_bytes: z.int().min(0).describe("Printed so far: the cursor at its end"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ session_id: "d4k8w1" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const execCancel = row({
  name: "exec.cancel",
  summary: "end a command and everything that it started; answers when it has ended",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    grace_ms: integerFrom(0, MAX_GRACE_MS).optional().describe("Between SIGTERM and SIGKILL; 5000 unless told"),
  }),
  result: execStatus.result,
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ session_id: "d4k8w1" }],
  cli: null,
  deadlineMs: MAX_GRACE_MS + RUN_MARGIN_MS,
});

export const execOutput = row({
  name: "exec.output",
  summary: "read what a command printed from a cursor on, by channel",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    channel: z.string().optional().describe("This one alone"),
    cursor: cursor.default("0").describe("Go on with next_cursor"),
    max_bytes: capped(1, MAX_ANSWER_BYTES, DEFAULT_READ_BYTES),
    wait_ms: capped(0, MAX_WAIT_MS, 0).describe("Where there is nothing yet, wait so long for something"),
    encoding,
  }),
  result: z.object({
    ...outcome,
    channels,
    ...page,
    eof: z.boolean().describe("It has ended, and nothing follows"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ session_id: "d4k8w1" }, { session_id: "d4k8w1", cursor: "7", max_bytes: 16 }],
  cli: null,
  deadlineMs: MAX_WAIT_MS + DEFAULT_DEADLINE_MS,
});
