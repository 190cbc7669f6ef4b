/**
 * What starts something, through the death of a daemon: the id of the session is chosen here, before anybody is asked, and an id can be claimed once. So a start
 * whose answer was lost is asked for again, of the next daemon: either it had never begun, or its id is taken, and then the session itself tells the rest.
 */
import { parseStructured } from "../../../client/read/structured.ts";
import { bytesOf } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { newSessionId } from "../../../protocol/types/session-id.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { type Daemon, isDaemonLost, MAX_TRIES } from "../daemon-link.ts";
import type { ToolRun } from "./agent-tool.ts";

/** `ask` with the same id until it is answered; null when the session turns out to be there. */
async function startOnce<T>(id: string, { daemon, signal }: ToolRun, ask: () => Promise<T>): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries > 1 && error instanceof HoltError && error.code === "EEXISTS") return null;
      // Whoever cancels ends what he had started; the daemon that would have seen to that is gone.
      if (signal.aborted && (tries > 1 || isDaemonLost(error))) await stopQuietly(id, daemon);
      if (!isDaemonLost(error) || signal.aborted) throw error;
      if (tries === MAX_TRIES) throw startUnknown(id);
    }
  }
}

/** It may never have begun, or have ended by itself; or there is nobody left to ask, because the client has gone. */
async function stopQuietly(session_id: string, daemon: Daemon): Promise<void> {
  await daemon.call("session.stop", { session_id }, new AbortController().signal).catch(() => {});
}

export async function durableStart(params: Params<"session.start">, means: ToolRun): Promise<Result<"session.start">> {
  const { daemon, signal } = means;
  const id = newSessionId();
  const started = await startOnce(id, means, () =>
    daemon.callOnce("session.start", { ...params, session_id: id }, signal),
  );
  return started ?? daemon.call("session.get", { session_id: id }, signal);
}

export async function durableRun(params: Params<"exec.run">, means: ToolRun): Promise<Result<"exec.run">> {
  const { daemon, signal } = means;
  if (typeof params.yield_ms !== "number") return daemon.callOnce("exec.run", params, signal); // it is refused there
  const id = newSessionId();
  const answerBy = performance.now() + params.yield_ms;
  const left = (): number => Math.max(0, Math.round(answerBy - performance.now()));
  const ran = await startOnce(id, means, () =>
    daemon.callOnce("exec.run", { ...params, session_id: id, yield_ms: left() }, signal),
  );
  return ran ?? resultFromSession(id, params, left, means);
}

/** The answer that the daemon owes, from the session: nobody ran anything again. */
async function resultFromSession(
  id: string,
  { max_bytes }: Params<"exec.run">,
  left: () => number,
  { daemon, signal }: ToolRun,
): Promise<Result<"exec.run">> {
  try {
    await daemon.call("session.wait", { session_id: id, until: "exit", timeout_ms: left() }, signal);
    const session = await daemon.call("session.get", { session_id: id }, signal);
    const asked = { session_id: id, ...(max_bytes === undefined ? {} : { max_bytes }) };
    const { eof, channels, ...output } = await daemon.call("exec.output", asked, signal);
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
  return new HoltError("EIO", `the daemon died, again and again, while session ${id} was started`, {
    hint: `do not run it again: session.wait {"session_id": "${id}"} tells whether it runs, or how it ended`,
    details: { session_id: id },
  });
}
