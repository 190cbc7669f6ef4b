/** Waits for a command of a call and returns its session and output. */
import { type CapturedOutput, captureOutput, type CaptureRequest } from "../../client/read/capture-output.ts";
import { endSession } from "../../client/sessions/end-session.ts";
import { type Final, FORMAT_VERSION, type Session } from "../../protocol/types/session.ts";
import { finishedSession } from "../../transcript/read/state.ts";
import type { CallContext } from "../daemon-context.ts";
import type { OnceEnded, Started } from "./session-pool.ts";

export interface AwaitOptions {
  /** Null: no limit. */
  ms: number | null;
  /** The command keeps running when the call is canceled. */
  detached: boolean;
}

export interface CommandResult {
  session: Session;
  output: CapturedOutput;
}

const NOTHING: CapturedOutput = { channels: new Map(), next: 0, eof: true, truncated: false };

/**
 * Returns when the command has ended, the time is up, or the call is canceled, which ends a command
 * that is not detached. If the holder reports that nothing was printed, nothing is read.
 */
export async function awaitCommand(
  context: CallContext,
  { meta, onceEnded }: Started,
  { ms, detached }: AwaitOptions,
  capture: Omit<CaptureRequest, "cursor">,
): Promise<CommandResult> {
  const { daemon, signal } = context;
  const { session_id: id } = meta;
  const final = signal.aborted ? null : await endOrTimeout(onceEnded, ms, signal);
  if (signal.aborted && !detached) await stopCanceled(context, id);
  const reported = final?.format === FORMAT_VERSION ? finishedSession(meta, final) : null;
  if (reported?.output_bytes === 0) return { session: reported, output: NOTHING };
  using reader = daemon.sessions.reader(id);
  const session = reported ?? reader.session();
  return { session, output: captureOutput(reader, { cursor: 0, ...capture }) };
}

/**
 * The session's final record; null if the time is up or the call canceled first, or if the record
 * must be read from disk.
 */
export function endOrTimeout(onceEnded: OnceEnded, ms: number | null, signal: AbortSignal): Promise<Final | null> {
  const { promise, resolve } = Promise.withResolvers<Final | null>();
  let removeListener = (): void => {};
  let timer: ReturnType<typeof setTimeout> | null = null;
  const finish = (final: Final | null): void => {
    if (timer !== null) clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
    removeListener();
    resolve(final);
  };
  const aborted = (): void => finish(null);
  timer = ms === null ? null : setTimeout(finish, ms, null);
  removeListener = onceEnded(finish);
  if (signal.aborted) aborted();
  else signal.addEventListener("abort", aborted);
  return promise;
}

async function stopCanceled({ daemon: { sessions, log } }: CallContext, id: string): Promise<void> {
  try {
    await endSession(sessions, id, { method: "stop", params: {} });
  } catch (error) {
    log.write("warn", "a canceled command was not ended", { session_id: id, error: String(error) });
  }
}
