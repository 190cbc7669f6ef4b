/** A command that somebody waits for, and what it printed. */
import { type CapturedOutput, captureOutput, type CaptureRequest } from "../../client/read/capture-output.ts";
import { endSession } from "../../client/sessions/end-session.ts";
import { type Final, FORMAT_VERSION, type Session } from "../../protocol/types/session.ts";
import { finishedSession } from "../../transcript/read/state.ts";
import type { CallContext } from "../daemon-context.ts";
import type { OnceEnded, Started } from "./session-pool.ts";

export interface AwaitOptions {
  /** Null: for as long as it takes. */
  ms: number | null;
  /** It lives on when whoever waits is gone. */
  detached: boolean;
}

export interface CommandResult {
  session: Session;
  output: CapturedOutput;
}

const NOTHING: CapturedOutput = { channels: new Map(), next: 0, eof: true, truncated: false };

/**
 * Returns when it has ended, when the time is up, or when the call is given up, which ends it: nobody else would. Of one that its holder says has
 * printed nothing, nothing is read.
 */
export async function awaitCommand(
  context: CallContext,
  { meta, onceEnded }: Started,
  { ms, detached }: AwaitOptions,
  wanted: Omit<CaptureRequest, "cursor">,
): Promise<CommandResult> {
  const { daemon, signal } = context;
  const { session_id: id } = meta;
  const final = signal.aborted ? null : await endOrTimeout(onceEnded, ms, signal);
  if (signal.aborted && !detached) await giveUp(context, id);
  const told = final?.format === FORMAT_VERSION ? finishedSession(meta, final) : null;
  if (told?.output_bytes === 0) return { session: told, output: NOTHING };
  using reader = daemon.sessions.reader(id);
  const session = told ?? reader.session();
  return { session, output: captureOutput(reader, { cursor: 0, ...wanted }) };
}

/** The session's last word; null where the time is up first, or the call, or where the last word is to be looked up. */
export function endOrTimeout(onceEnded: OnceEnded, ms: number | null, signal: AbortSignal): Promise<Final | null> {
  const { promise, resolve } = Promise.withResolvers<Final | null>();
  let forget = (): void => {};
  let timer: ReturnType<typeof setTimeout> | null = null;
  const over = (final: Final | null): void => {
    if (timer !== null) clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
    forget();
    resolve(final);
  };
  const aborted = (): void => over(null);
  timer = ms === null ? null : setTimeout(over, ms, null);
  forget = onceEnded(over);
  if (signal.aborted) aborted();
  else signal.addEventListener("abort", aborted);
  return promise;
}

async function giveUp({ daemon: { sessions, log } }: CallContext, id: string): Promise<void> {
  try {
    await endSession(sessions, id, { method: "stop", params: {} });
  } catch (error) {
    log.write("warn", "a canceled command was not ended", { session_id: id, error: String(error) });
  }
}
