/**
 * Starts a session of nobody's terminal: through the daemon, which has a holder waiting, or where there is none by a holder of its own.
 * The caller never waits for a daemon to come up.
 *
 * The id is chosen here, so that a start whose answer was lost can be tried again without the command being run twice: one of the two gets the id.
 */
import { circumstances } from "../platform/circumstances.ts";
import { HoltError } from "../protocol/errors.ts";
import { newSessionId } from "../protocol/session-id.ts";
import type { StartReply, StartRequest } from "../protocol/start-request.ts";
import type { Params, Result } from "../protocol/table.schema.ts";
import { isOlder, VERSION } from "../protocol/version.ts";
import { type Layout, layoutAt, stateRoot } from "../transcript/layout.ts";
import { type Quick, quickCall } from "./quick-call.ts";

const ANSWER_MS = 10_000;
const HAND_OVER_MS = 1000;

export async function startSession(request: StartRequest): Promise<StartReply> {
  const isDaemonUnwanted = (process.env["HOLT_NO_DAEMON"] ?? "") !== "";
  if (isDaemonUnwanted) return startCold(request);
  const layout = layoutAt(stateRoot());
  const named = { ...request, session_id: request.session_id ?? newSessionId() };
  const before = Date.now();
  let answer: Quick<"session.start">;
  try {
    answer = quickCall(layout, "session.start", paramsFrom(named), ANSWER_MS);
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    return error.details["cold"] === true ? startCold(request) : refusedBy(error);
  }
  if (answer.kind === "answered") return startedBy(answer.result, layout);
  const reply = await startCold(named);
  const { spawnDaemon } = await import("./spawn-daemon.ts");
  if (answer.kind === "unreached") spawnDaemon(layout);
  return answer.kind === "lost" ? afterAll(named.session_id, reply, before) : reply;
}

function paramsFrom({ argv, env, size, ...rest }: StartRequest): Params<"session.start"> {
  return {
    ...rest,
    argv_base64: [...argv],
    env_base64: [...env],
    pty: size ?? false,
    circumstances: circumstances(),
  };
}

async function startCold(request: StartRequest): Promise<StartReply> {
  return (await import("./start-holder.ts")).startHolder(request);
}

function refusedBy({ code, message, hint, details }: HoltError): StartReply {
  const exit = details["exit_code"];
  return { error: { code, message, hint }, exit_code: typeof exit === "number" ? exit : 125 };
}

/** An older daemon did it as well as it could; the next start finds one of our version. */
async function startedBy(session: Result<"session.start">, layout: Layout): Promise<StartReply> {
  if (isOlder(session.holt_version, VERSION)) {
    const { spawnDaemon } = await import("./spawn-daemon.ts");
    quickCall(layout, "daemon.shutdown", {}, HAND_OVER_MS);
    spawnDaemon(layout);
  }
  return { session_id: session.session_id, pid: session.process?.pid ?? 0, meta: session };
}

/** The daemon that did not answer had done it after all: the id is taken, and was not before we asked. */
async function afterAll(id: string, reply: StartReply, before: number): Promise<StartReply> {
  if (!("error" in reply) || reply.error.code !== "EEXISTS") return reply;
  const { LocalSessions } = await import("./local-sessions.ts");
  const session = new LocalSessions().get(id);
  if (Date.parse(session.created_at) < before) return reply;
  return { session_id: id, pid: session.process?.pid ?? 0, meta: session };
}
