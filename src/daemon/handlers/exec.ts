/** Handlers of the exec.* methods: commands on pipes. */
import { runDurationMs } from "../../client/sessions/run-duration.ts";
import { captureOutput, encodeBytes } from "../../client/read/capture-output.ts";
import { endSession } from "../../client/sessions/end-session.ts";
import { channelValue } from "../../client/read/channel-value.ts";
import { parseStructured } from "../../client/read/structured.ts";
import { waitUntilIndexed } from "../../client/read/wait-until-indexed.ts";
import { waitForOutput } from "../../client/wait/wait-until.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import type { TranscriptReader } from "../../transcript/read/reader.ts";
import { awaitCommand } from "../sessions/await-command.ts";
import type { Handler } from "./handlers.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { startRequestFrom } from "../sessions/start-request-from.ts";
import type { EventKind } from "../subscriptions/subscriber.ts";

export const run: Handler<"exec.run"> = async (params, context) => {
  const { yield_ms, output_mode, detached, max_bytes, encoding } = params;
  requireStdinUsable(params);
  const started = await context.daemon.pool.start(requestFrom(params, context.daemon));
  const ms = output_mode === "streaming" ? 0 : remainingYield(yield_ms, context.call);
  const capture = { maxBytes: max_bytes, encoding };
  const { session, output: printed } = await awaitCommand(context, started, { ms, detached }, capture);
  const { channels, next, truncated } = printed;
  // Only complete output is parsed: a part of JSON may be valid JSON.
  const whole = isWhole(session, truncated);
  const data = whole ? parseStructured(channels.get("stdout") ?? NOTHING) : null;
  const named = params.channels.map((spec) => {
    const source = { bytes: channels.get(spec.name) ?? NOTHING, isWhole: whole, encoding, structured: data };
    return { name: spec.name, ...channelValue(spec, source) };
  });
  const result = {
    ...outcomeOf(session),
    cwd: session.cwd,
    channels: {
      stdout: encodeBytes(encoding, channels.get("stdout") ?? NOTHING),
      stderr: encodeBytes(encoding, channels.get("stderr") ?? NOTHING),
      ...Object.fromEntries(named.map(({ name, value }) => [name, value])),
    },
    channel_errors: Object.fromEntries(named.flatMap(({ name, error }) => (error === null ? [] : [[name, error]]))),
    next_cursor: String(next),
    truncated,
    output_complete: session.output_complete,
    usage: usageOf(session),
    structured: data,
  };
  return result;
};

/** yield_ms bounds the whole call, so the time spent on an approval counts. */
function remainingYield(ms: number | undefined, { approval, began }: CallRecord): number | null {
  if (ms === undefined) return null;
  return approval === null ? ms : Math.max(0, ms - (performance.now() - began));
}

const NOTHING = new Uint8Array(0);

/** Input needs the session's id, which is known once the call has answered. */
function requireStdinUsable({ stdin, yield_ms, output_mode }: Parsed<"exec.run">): void {
  if (stdin !== true || yield_ms !== undefined || output_mode === "streaming") return;
  throw new HoltError(
    "EBADARGS",
    "exec.run: stdin: true needs yield_ms, or the call returns only after the command ended",
    {
      hint: "pass all input as stdin, or set yield_ms and send the rest with session.send",
    },
  );
}

function isWhole({ state, output_complete }: Session, truncated: boolean): boolean {
  return isFinal(state) && output_complete !== false && !truncated;
}

/** The request for a session on pipes. */
function requestFrom(
  { args, ...params }: Parsed<"exec.run"> | Parsed<"exec.run_background">,
  { settings }: DaemonContext,
): StartRequest {
  if ((params.command === undefined) === (args === undefined))
    throw new HoltError("EBADARGS", `${args === undefined ? "one" : "only one"} of command and args is needed`, {
      hint: '{"command": "npm test"} for a shell, {"args": ["npm", "test"]} without one',
    });
  return startRequestFrom({ ...params, ...(args === undefined ? {} : { argv: args }), pty: false }, settings);
}

export const runBackground: Handler<"exec.run_background"> = async (params, { daemon, connection }) => {
  const events = params.notify_on.flatMap((what) => EVENTS[what]);
  const isSubscribed = events.length > 0;
  if (isSubscribed) daemon.subscriptions.requireRoom(connection);
  const { meta } = await daemon.pool.start(requestFrom(params, daemon));
  const { session_id, started_at } = meta;
  const subscription = isSubscribed ? daemon.subscriptions.add(connection, { session_id, cursor: "0", events }) : null;
  const subscription_id = subscription?.subscription_id ?? null;
  return { session_id, state: "running", started_at, next_cursor: "0", subscription_id };
};

const EVENTS: Record<Parsed<"exec.run_background">["notify_on"][number], readonly EventKind[]> = {
  exit: ["exec.completed", "exec.failed"],
  output: ["exec.output"],
  timeout: ["timeout"],
};

export const status: Handler<"exec.status"> = ({ session_id }, { daemon }) => {
  using reader = daemon.sessions.reader(session_id);
  return statusOf(reader);
};

export const cancel: Handler<"exec.cancel"> = async ({ session_id, grace_ms }, { daemon: { sessions }, signal }) => {
  const params = grace_ms === undefined ? {} : { grace_ms };
  await endSession(sessions, session_id, { method: "stop", params }, signal);
  using reader = sessions.reader(session_id);
  return statusOf(reader);
};

export const output: Handler<"exec.output"> = async (params, { daemon: { sessions }, signal }) => {
  const { session_id: id, channel, max_bytes: maxBytes, wait_ms: timeoutMs, encoding } = params;
  using reader = sessions.reader(id);
  const cursor = Number(params.cursor);
  reader.session();
  if (timeoutMs > 0) await waitForOutput({ sessions, id, cursor, maxBytes: 1, timeoutMs, signal });
  await waitUntilIndexed(reader, cursor, signal);
  const session = reader.session();
  const onlyChannel = channel === undefined ? {} : { channel };
  const { channels, next, eof, truncated } = captureOutput(reader, { cursor, maxBytes, encoding, ...onlyChannel });
  return {
    ...outcomeOf(session),
    channels: encodedAll(channels, encoding),
    next_cursor: String(next),
    truncated,
    eof,
  };
};

export function outcomeOf(
  session: Session,
): Pick<Result<"exec.run">, "session_id" | "state" | "exit_code" | "signal" | "reason" | "timed_out" | "duration_ms"> {
  const { session_id, state, exit_code, signal, reason } = session;
  return {
    session_id,
    state,
    exit_code,
    signal,
    reason,
    timed_out: reason === "timeout",
    duration_ms: Math.round(runDurationMs(session) ?? 0),
  };
}

/** The part of a session's usage that exec.* reports. */
export function usageOf({ usage }: Session): Result<"exec.run">["usage"] {
  return usage === null ? null : { cpu_ms: usage.cpu_ms, max_rss_kb: usage.max_rss_kb };
}

function statusOf(reader: TranscriptReader): Result<"exec.status"> {
  const session = reader.session();
  const { started_at, ended_at, output_bytes } = session;
  return { ...outcomeOf(session), started_at, ended_at, output_bytes };
}

function encodedAll(channels: Map<string, Uint8Array>, encoding: "text" | "base64"): Record<string, string> {
  return Object.fromEntries([...channels].map(([name, bytes]) => [name, encodeBytes(encoding, bytes)]));
}
