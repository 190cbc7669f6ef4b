/** Attaches this terminal to a session, and says at the end how it went. */
import { type QuickSettings, quickSettings } from "../../../config/quick-settings.ts";
import { type AttachOutcome, attachUser, type AttachUserOptions } from "../../../client/attach/attach-user.ts";
import { refuseCycle, enclosingSessions } from "../../../client/attach/attach-cycle.ts";
import { formattedScreen } from "../../../client/read/screen.ts";
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { processStatus } from "../../../platform/process/processes.ts";
import { dieBy, signalNumber } from "../../../platform/process/signals.ts";
import { getSize, isTerminal } from "../../../platform/tty/terminal-device.ts";
import { DEFAULT_SCROLLBACK, type ReplayKind, type Role } from "../../../protocol/wire/attach.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import { SETTINGS } from "../../../protocol/types/settings.ts";
import { DetachMatcher, parseDetachKeys } from "../../../terminal/keys/detach-keys.ts";
import { endInWords, label } from "../../output/describe-session.ts";
import { writeErr, writeOut } from "../../output/output.ts";
import { chosen } from "../../options/settings.ts";
import { ownExitCode } from "../output/waiting.ts";
import { progressLine } from "../../output/progress-line.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";

export interface AttachOptions {
  role: Role;
  takesPart: boolean;
  replay: ReplayKind;
  replaces: boolean;
  takeover: boolean;
  /** With "none": from this cursor on. */
  since: number | null;
  detachKeys: string | null;
  scrollbackBytes: string | null;
  allowClipboard: boolean;
  exitCode: boolean;
}

const WITHOUT_TERMINAL = "`holt logs -f` follows a session anywhere, `holt screen` shows its screen, `holt send` types";

/** Refuses to attach without a terminal: a session's escape sequences are unreadable elsewhere. */
export function requireTerminal(): void {
  if (!isTerminal(0) || !isTerminal(1))
    throw new HoltError("EBADARGS", "attach needs a terminal on stdin and stdout", { hint: WITHOUT_TERMINAL });
  const { TERM = "" } = process.env;
  if (TERM !== "" && TERM !== "dumb") return;
  throw new HoltError("EBADARGS", `attach needs a terminal that shows a screen: TERM is ${TERM || "not set"}`, {
    hint: `if yours does, set it: \`TERM=xterm-256color holt attach …\`; ${WITHOUT_TERMINAL}`,
  });
}

export async function attachTo(sessions: LocalSessions, session: Session, options: AttachOptions): Promise<number> {
  const keys = parseDetachKeys(chosen("detach_keys", options.detachKeys));
  requireTerminal();
  const settings = await quickSettings();
  const inside = enclosingSessions();
  refuseInside(session, inside);
  await refuseCycle(sessions, session, inside);
  // A script that asks for the code means the same by a command that was faster than it.
  if (options.exitCode && isFinal(session.state)) {
    if (session.size !== null) await showLastScreen(sessions, session.session_id);
    return told(sessions, session, { kind: "ended" }, options);
  }
  const progress = progressLine(`rendering ${label(session)}`);
  const outcome = await attachUnlessEnded(sessions, session, {
    sessions,
    session,
    detachKeys: new DetachMatcher(keys),
    request: {
      role: options.role,
      replay: options.replay,
      ...(options.since === null ? {} : { cursor: String(options.since) }),
      size: options.takesPart ? getSize(0) : null,
      repaints: true,
      scrollback: DEFAULT_SCROLLBACK,
      raw_bytes: scrollbackBytes(options.scrollbackBytes, settings),
      replaces: options.replaces,
      takeover: options.takeover,
      once: false,
      passive: false,
      pid: process.pid,
      label: terminalName(),
      clipboard: chosen("allow_clipboard", options.allowClipboard ? true : null, settings.allowClipboard),
      inside,
    },
    progress: progress.tell,
  });
  return told(sessions, session, outcome, options);
}

function scrollbackBytes(text: string | null, settings: QuickSettings): number {
  const bytes = text === null ? null : SETTINGS.scrollback_bytes.parse(text);
  if (text !== null && bytes === null)
    throw new HoltError("EBADARGS", `invalid --scrollback-bytes "${text}"`, {
      hint: `use ${SETTINGS.scrollback_bytes.expected}`,
    });
  return chosen("scrollback_bytes", bytes, settings.scrollbackBytes);
}

/** One that ends at this very moment was not out of reach: it has ended. */
async function attachUnlessEnded(
  sessions: LocalSessions,
  { session_id, state }: Session,
  options: AttachUserOptions,
): Promise<AttachOutcome> {
  try {
    return await attachUser(options);
  } catch (error) {
    if (isFinal(state) || !isFinal(sessions.get(session_id).state)) throw error;
    await showLastScreen(sessions, session_id);
    return { kind: "ended" };
  }
}

/** As it would be seen had one been attached. */
export async function showLastScreen(sessions: LocalSessions, id: string): Promise<void> {
  const session = sessions.get(id);
  const { signal } = new AbortController();
  const { content } = await formattedScreen({ sessions, session, at: null, progress() {}, signal }, "ansi");
  if (content.trim() !== "") writeOut(`${content.trimEnd()}\n`);
}

/** One's own screen inside itself has no end. */
function refuseInside({ session_id, process: command }: Session, inside: readonly string[]): void {
  let isInside = inside.includes(session_id);
  for (let pid = process.ppid; pid > 1 && !isInside; pid = processStatus(pid)?.parent ?? 0)
    isInside = pid === command?.pid;
  if (!isInside) return;
  throw new HoltError("EBADARGS", `this terminal is the one of session ${session_id}`, {
    hint: "attach from a terminal outside of it",
  });
}

function told(sessions: LocalSessions, session: Session, outcome: AttachOutcome, { exitCode }: AttachOptions): number {
  const name = label(session);
  if (outcome.kind === "signal") return dieBy(signalNumber(outcome.signal));
  if (outcome.kind === "detached") {
    writeErr(`holt: ${DETACHED[outcome.reason]} ${name}\n`);
    if (outcome.inputRefused !== null) writeErr(`      ${outcome.inputRefused}\n`);
    return outcome.reason === "unreadable" ? EXIT_FAILURE : 0;
  }
  const last = sessions.get(session.session_id);
  writeErr(`holt: ${name} ${endInWords(last)}\n`);
  const { next_session_id: next } = last;
  if (next !== null) writeErr(`      it is started again as ${next}: \`holt attach ${next}\`\n`);
  if (last.reason === "holder_lost") return EXIT_FAILURE;
  if (!exitCode) return 0;
  return ownExitCode(last);
}

const DETACHED = {
  asked: "detached from",
  by_other: "somebody detached you from",
  replaced: "somebody else attached instead to",
  slow: "too slow for",
  unreadable: "cannot read the transcript of",
} as const;

/** For those who ask who is attached. */
function terminalName(): string {
  const { SSH_TTY, TMUX_PANE, TERM_PROGRAM, TERM } = process.env;
  return SSH_TTY ?? (TMUX_PANE === undefined ? (TERM_PROGRAM ?? TERM ?? "") : `tmux ${TMUX_PANE}`);
}
