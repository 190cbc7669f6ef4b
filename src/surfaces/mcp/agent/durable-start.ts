/**
 * Starts sessions and survives the death of the daemon. The session's id is chosen here, and an id
 * can be claimed only once. So a start without an answer is repeated with the next daemon: either
 * it never happened, or the id is taken, and then the result is read from the session.
 */
import { parseStructured } from "../../../client/read/structured.ts";
import { bytesOf } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { newSessionId } from "../../../protocol/types/session-id.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { type Daemon, isDaemonLost, MAX_TRIES } from "../daemon-link.ts";
import type { ToolRun } from "./agent-tool.ts";

/** Repeats `start` with the same id until it is answered; null when the session already exists. */
async function startOnce<T>(id: string, { daemon, signal }: ToolRun, start: () => Promise<T>): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries > 1 && error instanceof HoltError && error.code === "EEXISTS") return null;
      // A cancel ends the session that it started. The daemon that would have done that is gone.
      if (signal.aborted && (tries > 1 || isDaemonLost(error))) await stopQuietly(id, daemon);
      if (!isDaemonLost(error) || signal.aborted) throw error;
      if (tries === MAX_TRIES) throw startUnknown(id);
    }
  }
}

/** Errors are ignored: the session may not exist or have ended, or the client is gone. */
async function stopQuietly(session_id: string, daemon: Daemon): Promise<void> {
  await daemon.call("session.stop", { session_id }, new AbortController().signal).catch(() => {});
}

export async function durableStart(params: Params<"session.start">, run: ToolRun): Promise<Result<"session.start">> {
  const { daemon, signal } = run;
  const id = newSessionId();
  const started = await startOnce(id, run, () =>
    daemon.callOnce("session.start", { ...params, session_id: id }, signal),
  );
  return started ?? daemon.call("session.get", { session_id: id }, signal);
}

export async function durableRun(params: Params<"exec.run">, run: ToolRun): Promise<Result<"exec.run">> {
  const { daemon, signal } = run;
  if (typeof params.yield_ms !== "number") return daemon.callOnce("exec.run", params, signal); // the daemon refuses it
  const id = newSessionId();
  const answerBy = performance.now() + params.yield_ms;
  const left = (): number => Math.max(0, Math.round(answerBy - performance.now()));
  const result = await startOnce(id, run, () =>
    daemon.callOnce("exec.run", { ...params, session_id: id, yield_ms: left() }, signal),
  );
  return result ?? resultFromSession(id, params, left, run);
}

/** Builds the missing answer from the session; the command is not run again. */
async function resultFromSession(
  id: string,
  { max_bytes }: Params<"exec.run">,
  left: () => number,
  { daemon, signal }: ToolRun,
): Promise<Result<"exec.run">> {
  try {
    await daemon.call("session.wait", { session_id: id, until: "exit", timeout_ms: left() }, signal);
    const session = await daemon.call("session.get", { session_id: id }, signal);
    const readParams = { session_id: id, ...(max_bytes === undefined ? {} : { max_bytes }) };
    const { eof, channels, ...output } = await daemon.call("exec.output", readParams, signal);
    const { cwd, usage, output_complete, state } = session;
    const { stdout = "", stderr = "", ...named } = channels;
    const isWhole = isFinal(state) && eof && !output.truncated && output_complete !== false;
    return {
      ...output,
      cwd,
      channels: { stdout, stderr, ...named },
      channel_errors: {},
      output_complete,
      usage,
      structured: isWhole ? parseStructured(bytesOf(stdout)) : null,
    };
  } catch (error) {
    if (isDaemonLost(error)) throw startUnknown(id);
    if (signal.aborted) await stopQuietly(id, daemon);
    throw error;
  }
}

function startUnknown(id: string): HoltError {
  return new HoltError("EIO", `the daemon died repeatedly while session ${id} was started`, {
    hint: `do not run it again: session.wait {"session_id": "${id}"} returns whether it runs, or how it ended`,
    details: { session_id: id },
  });
}
