/** Attaches this terminal to a session and reports how the attach ended. */
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
import { effectiveSetting } from "../../options/settings.ts";
import { ownExitCode } from "../output/waiting.ts";
import { progressLine } from "../../output/progress-line.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";

export interface AttachOptions {
  role: Role;
  takesPart: boolean;
  replay: ReplayKind;
  replaces: boolean;
  takeover: boolean;
  /** With replay "none": the cursor from which output is shown. */
  since: number | null;
  detachKeys: string | null;
  scrollbackBytes: string | null;
  allowClipboard: boolean;
  exitCode: boolean;
}

const WITHOUT_TERMINAL =
  "without one, use `holt logs -f` to follow, `holt screen` to show the screen and `holt send` to type";

/** Attach needs a terminal: a session's escape sequences are unreadable elsewhere. */
export function requireTerminal(): void {
  if (!isTerminal(0) || !isTerminal(1))
    throw new HoltError("EBADARGS", "attach needs a terminal on stdin and stdout", { hint: WITHOUT_TERMINAL });
  const { TERM = "" } = process.env;
  if (TERM !== "" && TERM !== "dumb") return;
  throw new HoltError("EBADARGS", `attach needs a terminal with a screen: TERM is ${TERM || "not set"}`, {
    hint: `if yours has one, set TERM: \`TERM=xterm-256color holt attach …\`; ${WITHOUT_TERMINAL}`,
  });
}

export async function attachTo(sessions: LocalSessions, session: Session, options: AttachOptions): Promise<number> {
  const keys = parseDetachKeys(effectiveSetting("detach_keys", options.detachKeys));
  requireTerminal();
  const settings = await quickSettings();
  const inside = enclosingSessions();
  refuseInside(session, inside);
  await refuseCycle(sessions, session, inside);
  // With --exit-code, a session that has already ended counts like one that ends while attached.
  if (options.exitCode && isFinal(session.state)) {
    if (session.size !== null) await showLastScreen(sessions, session.session_id);
    return reportOutcome(sessions, session, { kind: "ended" }, options);
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
      clipboard: effectiveSetting("allow_clipboard", options.allowClipboard ? true : null, settings.allowClipboard),
      inside,
    },
    progress: progress.update,
  });
  return reportOutcome(sessions, session, outcome, options);
}

function scrollbackBytes(text: string | null, settings: QuickSettings): number {
  const bytes = text === null ? null : SETTINGS.scrollback_bytes.parse(text);
  if (text !== null && bytes === null)
    throw new HoltError("EBADARGS", `invalid --scrollback-bytes: "${text}"`, {
      hint: `use ${SETTINGS.scrollback_bytes.expected}`,
    });
  return effectiveSetting("scrollback_bytes", bytes, settings.scrollbackBytes);
}

/** A session that ends while the attach connects has ended; its holder was not unreachable. */
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

/** Prints the last screen, as an attached terminal would show it. */
export async function showLastScreen(sessions: LocalSessions, id: string): Promise<void> {
  const session = sessions.get(id);
  const { signal } = new AbortController();
  const { content } = await formattedScreen({ sessions, session, at: null, progress() {}, signal }, "ansi");
  if (content.trim() !== "") writeOut(`${content.trimEnd()}\n`);
}

/** A session attached to its own terminal would feed its output back to itself. */
function refuseInside({ session_id, process: command }: Session, inside: readonly string[]): void {
  let isInside = inside.includes(session_id);
  for (let pid = process.ppid; pid > 1 && !isInside; pid = processStatus(pid)?.parent ?? 0)
    isInside = pid === command?.pid;
  if (!isInside) return;
  throw new HoltError("EBADARGS", `this terminal belongs to the session itself: ${session_id}`, {
    hint: "attach from a terminal outside the session",
  });
}

function reportOutcome(
  sessions: LocalSessions,
  session: Session,
  outcome: AttachOutcome,
  { exitCode }: AttachOptions,
): number {
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
  if (next !== null) writeErr(`      it was restarted as ${next}: \`holt attach ${next}\`\n`);
  if (last.reason === "holder_lost") return EXIT_FAILURE;
  if (!exitCode) return 0;
  return ownExitCode(last);
}

const DETACHED = {
  asked: "detached from",
  by_other: "detached by another client from",
  replaced: "replaced by another client in",
  slow: "detached because this terminal was too slow for",
  unreadable: "cannot read the transcript of",
} as const;

/** Location of this client, for `holt clients`. */
function terminalName(): string {
  const { SSH_TTY, TMUX_PANE, TERM_PROGRAM, TERM } = process.env;
  return SSH_TTY ?? (TMUX_PANE === undefined ? (TERM_PROGRAM ?? TERM ?? "") : `tmux ${TMUX_PANE}`);
}
