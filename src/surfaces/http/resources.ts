/**
 * The seeds' resources, in the seeds' spelling: terminals to create and attach to (mcrunner), and what is typed or run in a session (stead). Each is a few calls of
 * the table.
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
  /** `:name` stands for one part of the path. */
  readonly path: string;
  readonly summary: string;
  /** The shapes of what it takes and gives, for who reads about it (openapi.ts): the calls themselves decide. */
  readonly schema: ResourceSchema;
  /** The methods behind it: what they may end with, it may. */
  readonly calls: readonly Method[];
  answer(exchange: ResourceRequest): Promise<Response>;
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
    summary: "start a terminal, and get the token to attach to it with",
    schema: { body: TERMINAL_REQUEST, data: TERMINAL_WITH_TOKEN },
    calls: ["session.start", "session.kill"],
    async answer(exchange) {
      const { cmd, env, cwd, cols, rows, name, idle_timeout_ms, ...rest } = exchange.body;
      refuseUnknown(rest, "cmd, env, cwd, cols, rows, name, idle_timeout_ms");
      requireCommand(cmd);
      // Before the command has done anything. Should another take the last place meanwhile, nobody could attach to it: it ends.
      exchange.backend.requireKeyRoom();
      const size = { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
      const session = await exchange.call("session.start", {
        argv: cmd ?? [exchange.backend.settings.shell],
        pty: size,
        ...(env === undefined ? {} : { env }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(name === undefined ? {} : { name }),
        ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
      });
      return dataResponse(
        { ...terminalInfo(session), token: await makeTokenOrKill(exchange, String(session["session_id"])) },
        201,
      );
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions`,
    summary: "the terminals that live",
    schema: { data: TERMINAL_LIST },
    calls: ["session.list"],
    async answer(exchange) {
      const { sessions } = await exchange.call("session.list", { states: ["starting", "running"] });
      return dataResponse((sessions as Record<string, unknown>[]).filter(isTerminal).map(terminalInfo));
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions/:id`,
    summary: "one of them, also when it has ended",
    schema: { data: TERMINAL },
    calls: ["session.get"],
    async answer(exchange) {
      return dataResponse(terminalInfo(await exchange.call("session.get", { session_id: exchange.path["id"] })));
    },
  },
  {
    method: "DELETE",
    path: `${API}/pty/sessions/:id`,
    summary: "stop one; what it printed stays",
    schema: { data: TERMINAL },
    calls: ["session.stop", "session.get"],
    async answer(exchange) {
      await exchange.call("session.stop", { session_id: exchange.path["id"] });
      return dataResponse(terminalInfo(await exchange.call("session.get", { session_id: exchange.path["id"] })));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/input`,
    summary: "type into a session: what session.send takes",
    schema: methodSchema("session.send"),
    calls: ["session.send"],
    async answer(exchange) {
      return dataResponse(await exchange.call("session.send", { ...exchange.body, session_id: exchange.path["id"] }));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/exec`,
    summary: "run a command in the live shell that a session is: what session.exec takes",
    schema: methodSchema("session.exec", { exec_id: EXEC_ID }),
    calls: ["session.exec", "session.commands"],
    async answer(exchange) {
      const session_id = exchange.path["id"] ?? "";
      const result = await exchange.call("session.exec", { ...exchange.body, session_id });
      const { commands } = await exchange.call("session.commands", { session_id, limit: 20 });
      const own = (commands as { number: number; output_start: string; by: string }[]).findLast(
        ({ output_start, by }) => by === "exec" && output_start === result["output_start"],
      );
      return dataResponse({ exec_id: own?.number ?? null, ...result });
    },
  },
  {
    method: "GET",
    path: `${API}/sessions/:id/executions/:exec_id`,
    summary: "what became of a command in a shell, by the number that exec answered with",
    schema: { data: EXECUTION },
    calls: ["session.commands"],
    async answer(exchange) {
      const { id = "", exec_id = "" } = exchange.path;
      const { commands } = await exchange.call("session.commands", { session_id: id, limit: 1000 });
      const found = (commands as { number: number }[]).find(({ number }) => String(number) === exec_id);
      if (found === undefined)
        throw new HoltError("ENOTFOUND", `no command ${exec_id} in session ${id}`, {
          hint: "session.commands lists those that there are",
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
  throw new HoltError("EBADARGS", `unknown field ${JSON.stringify(other)}`, { hint: `there are ${known}` });
}

/** Under the name that it has here: the method behind it has another. */
function requireCommand(cmd: unknown): void {
  if (cmd === undefined || (Array.isArray(cmd) && cmd.length > 0 && cmd.every((word) => typeof word === "string")))
    return;
  throw new HoltError("EBADARGS", `cmd: got ${JSON.stringify(cmd).slice(0, 80)}, expected a list of texts`, {
    hint: 'the program and its arguments, e.g. {"cmd": ["bash"]}; without it, the shell',
  });
}

async function makeTokenOrKill(exchange: ResourceRequest, session_id: string): Promise<string> {
  try {
    return exchange.backend.makeSessionToken(session_id);
  } catch (error) {
    await exchange.call("session.kill", { session_id });
    throw error;
  }
}
