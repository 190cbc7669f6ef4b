/** Waits for a condition and reports the outcome, for `holt wait` and `holt send --until`. */
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { type Condition, type WaitResult, waitUntil } from "../../../client/wait/wait-until.ts";
import { signalNumber } from "../../../platform/process/signals.ts";
import { MAX_TIMER_MS, parseDuration } from "../../../protocol/types/duration.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Session } from "../../../protocol/types/session.ts";
import { endInWords, label } from "../../output/describe-session.ts";
import { durationOf } from "../../options/durations.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stderrStyle, stdoutStyle } from "../../output/style.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { SOME_UNJUDGED } from "../../../terminal/text/unjudged-text.ts";

const ENDED_FIRST = 3;
const TIMED_OUT = 124;
/** A shell adds this to the number of the signal that ended a command. */
const SIGNALED = 128;

export interface WaitRequest {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  until: readonly Condition[];
  timeoutMs: number;
  /** Additional fields for the outcome as JSON; null: the outcome is printed as text. */
  json: object | null;
  /** Exit with the session's exit code if it ends. */
  exitsAlike: boolean;
}

/** Returns the exit code. */
export async function waitAndReport({ sessions, id, cursor: from, until, ...options }: WaitRequest): Promise<number> {
  const { signal: never } = new AbortController();
  const waited = await waitUntil({ sessions, id, cursor: from, until, timeoutMs: options.timeoutMs, signal: never });
  const { outcome, cursor, ...found } = waited;
  const session = sessions.get(id);
  const { exit_code, signal, reason: end_reason } = session;
  if (options.json !== null)
    writeJson(
      { ...options.json, outcome, cursor: String(cursor), ...found, exit_code, signal, end_reason },
      stdoutStyle(),
    );
  else {
    writeOut(resultLine(waited));
    if (waited.unjudged) writeErr(`holt: ${SOME_UNJUDGED}\n`);
    if (stderrStyle().tty) writeErr(outcomeNote(waited, session, until));
  }
  return options.exitsAlike && outcome === "exited" ? ownExitCode(session) : exitCodeFor(waited, until);
}

export function timeoutFrom(text: string | null): number {
  return durationOf("timeout", text, { mostMs: MAX_TIMER_MS }) ?? MAX_TIMER_MS;
}

/** The outcome on a terminal, if stdout does not show it. */
function outcomeNote(waited: WaitResult, session: Session, until: readonly Condition[]): string {
  if (waited.outcome === "timeout") return `holt: the timeout expired; ${label(session)} keeps running\n`;
  if (waited.outcome !== "exited") return "";
  const isEarly = exitCodeFor(waited, until) === ENDED_FIRST;
  return `holt: ${label(session)} ${endInWords(session)}${isEarly ? " before that" : ""}\n`;
}

/**
 * The session's exit code as a shell computes it; EXIT_FAILURE if it never ran or its holder was
 * lost.
 */
export function ownExitCode({ exit_code, signal }: Session): number {
  return exit_code ?? (signal === null ? EXIT_FAILURE : SIGNALED + signalNumber(signal));
}

/** The match, the reason or the address, as one line. */
function resultLine({ match, reason, port, address }: WaitResult): string {
  if (match !== null) return `${oneLine(match)}\n`;
  if (reason !== null) return `${reason}\n`;
  if (port === null || address === null) return "";
  return `${address.includes(":") ? `[${address}]` : address}:${port}\n`;
}

function exitCodeFor({ outcome }: WaitResult, until: readonly Condition[]): number {
  if (outcome === "timeout") return TIMED_OUT;
  return outcome !== "exited" || until.some(({ kind }) => kind === "exit") ? 0 : ENDED_FIRST;
}

export function conditionFrom(text: string): Condition {
  if (text === "exit" || text === "output" || text === "input" || text === "prompt") return { kind: text };
  if (text === "port") return { kind: "port", port: null };
  const [, kind, value = ""] = /^(idle|match|screen|port)=(.+)$/s.exec(text) ?? [];
  if (kind === "idle") {
    const ms = parseDuration(value);
    if (ms !== null && ms > 0 && ms <= MAX_TIMER_MS) return { kind, ms };
    throw invalid(text, "use a positive duration, e.g. idle=500ms");
  }
  if (kind === "match" || kind === "screen") return { kind, pattern: patternFrom(text, value) };
  if (kind === "port") {
    const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
    if (port > 0 && port < 2 ** 16) return { kind, port };
    throw invalid(text, "use a port from 1 to 65535, e.g. port=8080, or port alone for any");
  }
  throw invalid(text, "use exit, output, idle=DURATION, match=REGEX, screen=REGEX, input, prompt, port or port=NUMBER");
}

function patternFrom(text: string, source: string): RegExp {
  try {
    return new RegExp(source, "mu");
  } catch (error) {
    throw invalid(text, error instanceof Error ? error.message : "not a regular expression");
  }
}

function invalid(text: string, hint: string): HoltError {
  return new HoltError("EBADARGS", `invalid --until: ${JSON.stringify(text)}`, { hint });
}
