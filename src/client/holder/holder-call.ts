/** One request to a session's holder, and its answer. */
import { isEnding, processStatus } from "../../platform/process/processes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../protocol/wire/frames.ts";
import { type HolderMethod, type HolderMethods, SESSION_STARTING } from "../../protocol/wire/holder-methods.ts";
import { isFinal, type ProcessIdentity, type Session } from "../../protocol/types/session.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { deadlineAfter } from "../deadline.ts";
import { dialHolder } from "./dial-holder.ts";
import { errorFromFrame } from "./holder-connection.ts";

const ANSWER_MS = 5000;
const RETRY_MS = 20;
const NEVER = new AbortController().signal;
/**
 * Methods that a stopped holder carries out from its socket's buffer when it continues. Input and
 * commands have hints of their own (send-input.ts, shell-exec.ts).
 */
const TAKES_EFFECT_LATER: readonly HolderMethod[] = ["signal", "rename", "resize", "detach"];

export interface HolderCallOptions {
  answerMs?: number;
  /** Closes the connection. */
  signal?: AbortSignal;
}

/** Retries while the session is starting. */
export async function callHolder<M extends HolderMethod>(
  session: Session,
  method: M,
  params: HolderMethods[M]["params"],
  options: HolderCallOptions = {},
): Promise<HolderMethods[M]["result"]> {
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    try {
      return await callOnce(session, method, params, options);
    } catch (error) {
      const isStarting = error instanceof HoltError && error.message === SESSION_STARTING;
      if (!isStarting || performance.now() > until || options.signal?.aborted === true) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

export async function callOnce<M extends HolderMethod>(
  session: Session,
  method: M,
  params: HolderMethods[M]["params"],
  { answerMs = ANSWER_MS, signal = NEVER }: HolderCallOptions = {},
): Promise<HolderMethods[M]["result"]> {
  if (isFinal(session.state))
    throw new HoltError("ESESSIONCLOSED", `session ${labelOf(session)} has ended`, { hint: endedHint(session) });
  using deadline = deadlineAfter(answerMs, signal);
  using connection = await dialHolder(session, deadline.signal);
  // meta.json names the socket a moment before the holder listens.
  if (connection === null && session.state === "starting") throw new HoltError("EBUSY", SESSION_STARTING);
  if (connection === null) throw unreachableHolder(session, "no process answers at its socket");
  connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
  connection.send(encodeJsonFrame(FRAME.request, { id: 1, method, params }));
  for (let frame = await connection.next(); frame !== null; frame = await connection.next()) {
    const value = decodeJson(frame.payload) ?? {};
    if (frame.type === FRAME.hello && value["session_id"] !== session.session_id)
      throw unreachableHolder(session, "its socket belongs to another session");
    if (frame.type === FRAME.result) return value["result"] as HolderMethods[M]["result"];
    if (frame.type === FRAME.error) throw withEndedHint(errorFromFrame(value), session);
  }
  throw lostDuringCall(session, method, deadline.signal.aborted ? "its holder does not answer" : "its holder hung up");
}

/** The request was sent: the holder may have carried it out. */
function lostDuringCall(session: Session, method: HolderMethod, why: string): HoltError {
  const { code, message, hint } = unreachableHolder(session, why);
  const details = { may_have_run: true };
  if (!isEnding(session.holder)) {
    const then = TAKES_EFFECT_LATER.includes(method)
      ? `; the ${method} may have been carried out, or may be later: check before you repeat it`
      : "";
    return new HoltError(code, message, { hint: `${hint}${then}`, details });
  }
  return new HoltError(code, message, {
    hint: "it was just lost: session.get shows how the session ended",
    details,
  });
}

/** True if the request may have been carried out although no answer came. */
export function mayHaveRun(error: unknown): error is HoltError {
  return error instanceof HoltError && error.details["may_have_run"] === true;
}

/** For a session that ended after its records were read. */
function withEndedHint(error: HoltError, session: Session): HoltError {
  const { code, message, hint } = error;
  if (code !== "ESESSIONCLOSED" || hint !== null || !message.endsWith("has ended")) return error;
  return new HoltError(code, message, { hint: endedHint(session) });
}

function endedHint({ session_id }: Session): string {
  return `session.read {"session_id": "${session_id}"} shows what it printed; session.start starts another`;
}

function unreachableHint(holder: ProcessIdentity): string {
  if (isEnding(holder)) return "it was just lost: try again";
  const { pid } = holder;
  if (processStatus(pid)?.state === "T") return `it is stopped: \`kill -CONT ${pid}\` continues it`;
  return `\`kill -USR1 ${pid}\` makes it listen again; if it is stuck, \`kill -9 ${pid}\` and then \`holt kill\` end the session`;
}

function labelOf({ session_id, name }: Session): string {
  return name === null ? session_id : `${name} (${session_id})`;
}

export function unreachableHolder(session: Session, why: string): HoltError {
  return new HoltError("EIO", `cannot reach the holder of session ${session.session_id}: ${why}`, {
    hint: unreachableHint(session.holder),
  });
}
