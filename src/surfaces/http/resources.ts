/**
 * The seeds' resources, in the seeds' spelling: terminals to create and attach to (mcrunner), and what is typed or run in a session (stead). Each is a few calls of
 * the table.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { Method } from "../../protocol/methods/table.schema.ts";
import { API } from "../../protocol/wire/web.ts";
import { data } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import {
  EXEC_ID,
  EXECUTION,
  LIST,
  type Shape,
  shapeOfRow,
  TERMINAL,
  TERMINAL_WITH_TOKEN,
  WANTED,
} from "./resource-shapes.ts";

export interface Resource {
  readonly method: "GET" | "POST" | "DELETE";
  /** `:name` stands for one part of the path. */
  readonly path: string;
  readonly summary: string;
  /** The shapes of what it takes and gives, for who reads about it (openapi.ts): the calls themselves decide. */
  readonly shape: Shape;
  /** The methods behind it: what they may end with, it may. */
  readonly calls: readonly Method[];
  answer(exchange: Exchange): Promise<Response>;
}

const DEFAULT_SIZE = { cols: 120, rows: 30 };

interface Seen {
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
    shape: { body: WANTED, data: TERMINAL_WITH_TOKEN },
    calls: ["session.start", "session.kill"],
    async answer(exchange) {
      const { cmd, env, cwd, cols, rows, name, idle_timeout_ms, ...rest } = exchange.body;
      requireOnly(rest, "cmd, env, cwd, cols, rows, name, idle_timeout_ms");
      requireWords(cmd);
      // Before the command has done anything. Should another take the last place meanwhile, nobody could attach to it: it ends.
      exchange.house.requireKeyRoom();
      const size = { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
      const session = await exchange.call("session.start", {
        argv: cmd ?? [exchange.house.terms.shell],
        pty: size,
        ...(env === undefined ? {} : { env }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(name === undefined ? {} : { name }),
        ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
      });
      return data({ ...infoOf(session), token: await tokenOr(exchange, String(session["session_id"])) }, 201);
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions`,
    summary: "the terminals that live",
    shape: { data: LIST },
    calls: ["session.list"],
    async answer(exchange) {
      const { sessions } = await exchange.call("session.list", { states: ["starting", "running"] });
      return data((sessions as Record<string, unknown>[]).filter(isTerminal).map(infoOf));
    },
  },
  {
    method: "GET",
    path: `${API}/pty/sessions/:id`,
    summary: "one of them, also when it has ended",
    shape: { data: TERMINAL },
    calls: ["session.get"],
    async answer(exchange) {
      return data(infoOf(await exchange.call("session.get", { session_id: exchange.path["id"] })));
    },
  },
  {
    method: "DELETE",
    path: `${API}/pty/sessions/:id`,
    summary: "stop one; what it printed stays",
    shape: { data: TERMINAL },
    calls: ["session.stop", "session.get"],
    async answer(exchange) {
      await exchange.call("session.stop", { session_id: exchange.path["id"] });
      return data(infoOf(await exchange.call("session.get", { session_id: exchange.path["id"] })));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/input`,
    summary: "type into a session: what session.send takes",
    shape: shapeOfRow("session.send"),
    calls: ["session.send"],
    async answer(exchange) {
      return data(await exchange.call("session.send", { ...exchange.body, session_id: exchange.path["id"] }));
    },
  },
  {
    method: "POST",
    path: `${API}/sessions/:id/exec`,
    summary: "run a command in the live shell that a session is: what session.exec takes",
    shape: shapeOfRow("session.exec", { exec_id: EXEC_ID }),
    calls: ["session.exec", "session.commands"],
    async answer(exchange) {
      const session_id = exchange.path["id"] ?? "";
      const result = await exchange.call("session.exec", { ...exchange.body, session_id });
      const { commands } = await exchange.call("session.commands", { session_id, limit: 20 });
      const own = (commands as { number: number; output_start: string; by: string }[]).findLast(
        ({ output_start, by }) => by === "exec" && output_start === result["output_start"],
      );
      return data({ exec_id: own?.number ?? null, ...result });
    },
  },
  {
    method: "GET",
    path: `${API}/sessions/:id/executions/:exec_id`,
    summary: "what became of a command in a shell, by the number that exec answered with",
    shape: { data: EXECUTION },
    calls: ["session.commands"],
    async answer(exchange) {
      const { id = "", exec_id = "" } = exchange.path;
      const { commands } = await exchange.call("session.commands", { session_id: id, limit: 1000 });
      const found = (commands as { number: number }[]).find(({ number }) => String(number) === exec_id);
      if (found === undefined)
        throw new HoltError("ENOTFOUND", `no command ${exec_id} in session ${id}`, {
          hint: "session.commands lists those that there are",
        });
      return data({ exec_id: found.number, ...found });
    },
  },
];

function infoOf(value: Record<string, unknown>): object {
  const { session_id, name, argv, state, process, current_size, created_at, exit_code } = value as unknown as Seen;
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

function requireOnly(rest: object, known: string): void {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw new HoltError("EBADARGS", `unknown field ${JSON.stringify(other)}`, { hint: `there are ${known}` });
}

/** Under the name that it has here: the method behind it has another. */
function requireWords(cmd: unknown): void {
  if (cmd === undefined || (Array.isArray(cmd) && cmd.length > 0 && cmd.every((word) => typeof word === "string")))
    return;
  throw new HoltError("EBADARGS", `cmd: got ${JSON.stringify(cmd).slice(0, 80)}, expected a list of texts`, {
    hint: 'the program and its arguments, e.g. {"cmd": ["bash"]}; without it, the shell',
  });
}

async function tokenOr(exchange: Exchange, session_id: string): Promise<string> {
  try {
    return exchange.house.sessionToken(session_id);
  } catch (error) {
    await exchange.call("session.kill", { session_id });
    throw error;
  }
}
