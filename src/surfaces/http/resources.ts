/**
 * REST resources in the spelling of the seeds: terminals (mcrunner), input and commands of a
 * session (stead). Each is a few calls of the protocol table.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { Method } from "../../protocol/methods/table.schema.ts";
import { API } from "../../protocol/wire/web.ts";
import { dataResponse } from "./responses.ts";
import type { ResourceRequest } from "./resource-request.ts";
import {
  EXEC_ID,
  EXECUTION,
  TERMINAL_LIST,
  type ResourceSchema,
  methodSchema,
  TERMINAL,
  TERMINAL_WITH_TOKEN,
  TERMINAL_REQUEST,
} from "./resource-schemas.ts";

export interface Resource {
  readonly method: "GET" | "POST" | "DELETE";
  /** `:name` matches one segment of the path. */
  readonly path: string;
  readonly summary: string;
  /** Only documented (openapi.ts): the methods themselves check their parameters. */
  readonly schema: ResourceSchema;
  /** The methods that it calls; it may return any of their errors. */
  readonly calls: readonly Method[];
  answer(request: ResourceRequest): Promise<Response>;
}

const DEFAULT_SIZE = { cols: 120, rows: 30 };

interface SessionFields {
  session_id: string;
  name: string | null;
  argv: string[];
  state: string;
  process: { pid: number } | null;
  current_size: { cols: number; rows: number } | null;
  created_at: string;
  exit_code: number | null;
  transport_mode: string;
}

export const RESOURCES: readonly Resource[] = [
  {
    method: "POST",
    path: `${API}/pty/sessions`,
    summary: "start a terminal; returns a token to attach to it",
    schema: { body: TERMINAL_REQUEST, data: TERMINAL_WITH_TOKEN },
    calls: ["session.start", "session.kill"],
    async answer(request) {
      const { cmd, env, cwd, cols, rows, name, idle_timeout_ms, ...rest } = request.body;
      refuseUnknown(rest, "cmd, env, cwd, cols, rows, name, idle_timeout_ms");
      requireCommand(cmd);
      // Checked before the command starts. If the last key is taken meanwhile, the session is
      // killed, because no client could attach to it.
      request.backend.requireKeyRoom();
      const size = { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
      const session = await request.call("session.start", {
        argv: cmd ?? [request.backend.settings.shell],
        pty: size,
        ...(env === undefined ? {} : { env }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(name === undefined ? {} : { name }),
        ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
      });
      return dataResponse(
        { ...terminalInfo(session), token: await makeTokenOrKill(request, String(session["session_id"])) },
        201,
      );
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions`,
    summary: "list running terminals",
    schema: { data: TERMINAL_LIST },
    calls: ["session.list"],
    async answer(request) {
      const { sessions } = await request.call("session.list", { states: ["starting", "running"] });
      return dataResponse((sessions as Record<string, unknown>[]).filter(isTerminal).map(terminalInfo));
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions/:id`,
    summary: "get one terminal, running or ended",
    schema: { data: TERMINAL },
    calls: ["session.get"],
    async answer(request) {
      return dataResponse(terminalInfo(await request.call("session.get", { session_id: request.path["id"] })));
    },
  },
  {
    method: "DELETE",
    path: `${API}/pty/sessions/:id`,
    summary: "stop a terminal; its output is kept",
    schema: { data: TERMINAL },
    calls: ["session.stop", "session.get"],
    async answer(request) {
      await request.call("session.stop", { session_id: request.path["id"] });
      return dataResponse(terminalInfo(await request.call("session.get", { session_id: request.path["id"] })));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/input`,
    summary: "type into a session; parameters of session.send",
    schema: methodSchema("session.send"),
    calls: ["session.send"],
    async answer(request) {
      return dataResponse(await request.call("session.send", { ...request.body, session_id: request.path["id"] }));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/exec`,
    summary: "run a command in a session's live shell; parameters of session.exec",
    schema: methodSchema("session.exec", { exec_id: EXEC_ID }),
    calls: ["session.exec", "session.commands"],
    async answer(request) {
      const session_id = request.path["id"] ?? "";
      const result = await request.call("session.exec", { ...request.body, session_id });
      const { commands } = await request.call("session.commands", { session_id, limit: 20 });
      const own = (commands as { number: number; output_start: string; by: string }[]).findLast(
        ({ output_start, by }) => by === "exec" && output_start === result["output_start"],
      );
      return dataResponse({ exec_id: own?.number ?? null, ...result });
    },
  },
  {
    method: "GET",
    path: `${API}/sessions/:id/executions/:exec_id`,
    summary: "get the result of a command, by the exec_id that exec returned",
    schema: { data: EXECUTION },
    calls: ["session.commands"],
    async answer(request) {
      const { id = "", exec_id = "" } = request.path;
      const { commands } = await request.call("session.commands", { session_id: id, limit: 1000 });
      const found = (commands as { number: number }[]).find(({ number }) => String(number) === exec_id);
      if (found === undefined)
        throw new HoltError("ENOTFOUND", `command not found: ${exec_id} in session ${id}`, {
          hint: "session.commands lists the commands",
        });
      return dataResponse({ exec_id: found.number, ...found });
    },
  },
];

function terminalInfo(value: Record<string, unknown>): object {
  const { session_id, name, argv, state, process, current_size, created_at, exit_code } =
    value as unknown as SessionFields;
  return {
    id: session_id,
    pid: process?.pid ?? null,
    cols: current_size?.cols ?? null,
    rows: current_size?.rows ?? null,
    ...(name === null ? {} : { name }),
    cmd: argv,
    state,
    exitCode: exit_code,
    createdAt: created_at,
  };
}

function isTerminal(value: Record<string, unknown>): boolean {
  return value["transport_mode"] !== "pipe";
}

function refuseUnknown(rest: object, known: string): void {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw new HoltError("EBADARGS", `unknown field: ${JSON.stringify(other)}`, { hint: `use ${known}` });
}

/** Checked here, because the method's own error would name the parameter `argv`. */
function requireCommand(cmd: unknown): void {
  if (
    cmd === undefined ||
    (Array.isArray(cmd) && cmd.length > 0 && cmd.every((argument) => typeof argument === "string"))
  )
    return;
  throw new HoltError("EBADARGS", `cmd: got ${JSON.stringify(cmd).slice(0, 80)}, expected a list of texts`, {
    hint: 'the program and its arguments, e.g. {"cmd": ["bash"]}; default: the shell',
  });
}

async function makeTokenOrKill(request: ResourceRequest, session_id: string): Promise<string> {
  try {
    return request.backend.makeSessionToken(session_id);
  } catch (error) {
    await request.call("session.kill", { session_id });
    throw error;
  }
}
