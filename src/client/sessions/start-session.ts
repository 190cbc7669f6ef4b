/**
 * Starts a session in the background: through the daemon, which keeps a holder ready, else by
 * starting a holder. It never waits for a daemon to start.
 *
 * The client chooses the id, so that a start whose answer was lost can be repeated without running
 * the command twice: only one of the two gets the id.
 */
import { contextHash } from "../../platform/process/context-hash.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { newSessionId } from "../../protocol/types/session-id.ts";
import type { StartReply, StartRequest } from "../../protocol/wire/start-request.ts";
import type { Params, Result } from "../../protocol/methods/table.schema.ts";
import { isOlder, VERSION } from "../../protocol/types/version.ts";
import { type Layout, layoutAt, stateRoot } from "../../transcript/layout.ts";
import {
  dialDaemon,
  type DialResult,
  type QuickAnswer,
  startQuickCall,
  quickCall,
  type PendingAnswer,
} from "../daemon/quick-call.ts";

/**
 * A start takes a few milliseconds. After this long, silent-daemon.ts checks what the daemon does.
 */
const SILENT_MS = 250;
const HAND_OVER_MS = 1000;
/** The length of a malformed answer in its error message. */
const SHOWN_CHARACTERS = 100;

/**
 * Connects before the request is ready, so that the daemon has accepted meanwhile. Errors here are
 * reported by the start itself.
 */
export function dialEarly(): DialResult | null {
  try {
    return isDaemonUnwanted() ? null : dialDaemon(layoutAt(stateRoot()));
  } catch {
    return null;
  }
}

export interface StartOptions {
  dialResult: DialResult | null;
  /** Called with a problem that did not prevent the start. */
  warn: (of: HoltError) => void;
}

export async function startSession(request: StartRequest, { dialResult, warn }: StartOptions): Promise<StartReply> {
  if (isDaemonUnwanted()) return startWithoutDaemon(request);
  const layout = layoutAt(stateRoot());
  const withId = { ...request, session_id: request.session_id ?? newSessionId() };
  const before = Date.now();
  let answer: QuickAnswer<"session.start">;
  let isOutdated = false;
  try {
    const early: QuickAnswer<"session.start"> | PendingAnswer<"session.start"> = startQuickCall(
      dialResult ?? layout,
      "session.start",
      paramsFrom(withId),
      SILENT_MS,
    );
    answer =
      early.kind === "silent" ? (await import("../daemon/silent-daemon.ts")).waitWhileBusy(layout, early, warn) : early;
    isOutdated = answer.kind === "answered" && isOlder(answer.result.holt_version, VERSION);
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    isOutdated = error.code === "EBADARGS" && isOldDaemon(layout);
    if (!isOutdated && error.details["cold"] !== true) return refusalReply(error);
    answer = { kind: "lost" }; // a holder may have ended before it could answer
  }
  const reply = answer.kind === "answered" ? startedReply(answer.result) : await startWithoutDaemon(withId);
  if (isOutdated || answer.kind === "unreached") await renewDaemon(layout, isOutdated);
  return answer.kind === "lost" ? adoptStarted(withId.session_id, reply, before) : reply;
}

function isDaemonUnwanted(): boolean {
  return (process.env["HOLT_NO_DAEMON"] ?? "") !== "";
}

/** Without the log and the control group's path, which the daemon sets itself. */
export function paramsFrom(request: StartRequest): Params<"session.start"> {
  const { argv, env, size, stdin = null, limits = null, linger = false, log: _log, cgroup: _cgroup, ...rest } = request;
  return {
    ...rest,
    ...(stdin === null ? {} : { stdin: { data: stdin } }),
    ...(limits === null ? {} : { limits }),
    ...(linger ? { linger } : {}),
    argv_base64: [...argv],
    env_base64: [...env],
    pty: size ?? false,
    circumstances: contextHash(),
  };
}

async function startWithoutDaemon(request: StartRequest): Promise<StartReply> {
  return (await import("../holder/start-holder.ts")).startHolder(request);
}

function refusalReply({ code, message, hint, details }: HoltError): StartReply {
  const exit = details["exit_code"];
  return { error: { code, message, hint }, exit_code: typeof exit === "number" ? exit : 125 };
}

function startedReply(session: Result<"session.start">): StartReply {
  if (typeof session.session_id !== "string")
    throw new HoltError(
      "EIO",
      `the daemon's answer names no session: ${JSON.stringify(session).slice(0, SHOWN_CHARACTERS)}`,
      {
        hint: "the command may run: check with `holt ls`, then replace the daemon with `holt daemon restart`",
      },
    );
  return { session_id: session.session_id, pid: session.process?.pid ?? 0, meta: session };
}

/** An old daemon may refuse newer parameters. */
function isOldDaemon(layout: Layout): boolean {
  try {
    const health = quickCall(layout, "health.info", {}, HAND_OVER_MS);
    return health.kind === "answered" && isOlder(health.result.version, VERSION);
  } catch {
    return false;
  }
}

/** Replaces an old daemon for the next start; a failure does not affect this one. */
async function renewDaemon(layout: Layout, isOutdated: boolean): Promise<void> {
  const { spawnDaemon } = await import("../daemon/spawn-daemon.ts");
  try {
    if (isOutdated) quickCall(layout, "daemon.shutdown", {}, HAND_OVER_MS);
    spawnDaemon(layout);
  } catch {
    // the old daemon does not end, or none can be started
  }
}

/** The start is not repeated: the command may have run. */
function lostAtStart(id: string): StartReply {
  const message = `the holder of session ${id} died during the start: the command may have run`;
  return { error: { code: "EIO", message, hint: `\`holt show ${id}\` shows what was recorded` }, exit_code: 125 };
}

/**
 * EEXISTS for an id that was free before the call: the daemon that did not answer has started the
 * session.
 */
async function adoptStarted(id: string, reply: StartReply, before: number): Promise<StartReply> {
  if (!("error" in reply) || reply.error.code !== "EEXISTS") return reply;
  const { LocalSessions } = await import("./local-sessions.ts");
  const session = new LocalSessions().get(id);
  if (Date.parse(session.created_at) < before) return reply;
  if (session.reason === "holder_lost") return lostAtStart(id);
  return { session_id: id, pid: session.process?.pid ?? 0, meta: session };
}
