/** What is asked of a session's shell on its socket. */
import { HoltError } from "../../protocol/types/errors.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { SHELL_HINT, NOT_A_SHELL } from "../../protocol/types/shell-command.ts";
import type { Asked, Params } from "../socket/control.ts";
import { badValue, decoded, isWithin, requireFree } from "../socket/control-values.ts";
import { TYPING } from "../socket/typing.ts";
import type { ShellSession } from "./shell-session.ts";

/** Who that is, in the account of who typed. */
const SENDER = "exec";
/** Nobody is waited for for ever: who waits longer asks again. */
const MAX_WAIT_MS = 24 * 3600 * 1000;

export async function exec(asked: Asked, params: Params): Promise<Record<string, unknown>> {
  const { session, clients } = asked;
  requireFree(session.reserved.input, "typed into");
  const command = decoded(params["command"]);
  if (command.includes(0)) throw badValue("command", "…\\0…", "no NUL: no shell can be given one");
  const outcome = await shellOf(asked).exec({
    command,
    text: textOf(command),
    timeoutMs: milliseconds(params),
    type: (keys) => clients.type(SENDER, bytesOf(keys), params["takeover"] === true),
    interrupt: async () => void (await TYPING.keys(asked, { keys: ["ctrl-c"], takeover: params["takeover"] })),
    call: typeof params["call"] === "string" ? params["call"] : null,
  });
  return { ...outcome };
}

export async function giveUp(asked: Asked, { call }: Params): Promise<Record<string, unknown>> {
  if (typeof call !== "string") throw badValue("call", call, "the name that it was given");
  return { interrupted: await shellOf(asked).giveUp(call) };
}

export async function untilPrompt(asked: Asked, params: Params): Promise<Record<string, unknown>> {
  const shell = shellOf(asked);
  return { at_prompt: await shell.untilPrompt(milliseconds(params)), cwd: shell.cwd };
}

function shellOf({ session }: Asked): ShellSession {
  if (session.shell !== null) return session.shell;
  throw new HoltError("EBADARGS", NOT_A_SHELL, { hint: SHELL_HINT });
}

function milliseconds({ timeout_ms }: Params): number {
  if (isWithin(timeout_ms, 0, MAX_WAIT_MS)) return timeout_ms;
  throw badValue("timeout_ms", timeout_ms, `a whole number of milliseconds up to ${MAX_WAIT_MS}`);
}
