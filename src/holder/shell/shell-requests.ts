/** Handles requests to a session's shell (exec, give_up, until_prompt). */
import { HoltError } from "../../protocol/types/errors.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { SHELL_HINT, NOT_A_SHELL } from "../../protocol/types/shell-command.ts";
import type { ControlTarget, ControlParams } from "../socket/control.ts";
import { badValue, decodeBase64, isWithin, requireFree } from "../socket/control-values.ts";
import { INPUT_HANDLERS } from "../socket/input-requests.ts";
import type { ShellSession } from "./shell-session.ts";

/** The client id in the input events. */
const SENDER = "exec";
/** The longest wait of one request. */
const MAX_WAIT_MS = 24 * 3600 * 1000;

export async function exec(target: ControlTarget, params: ControlParams): Promise<Record<string, unknown>> {
  const { session, clients } = target;
  requireFree(session.reserved.input, "typed into");
  const command = decodeBase64(params["command"]);
  if (command.includes(0)) throw badValue("command", "…\\0…", "text without NUL bytes");
  const outcome = await shellOf(target).exec({
    command,
    text: textOf(command),
    timeoutMs: milliseconds(params),
    type: (keys) => clients.type(SENDER, bytesOf(keys), params["takeover"] === true),
    interrupt: async () => void (await INPUT_HANDLERS.keys(target, { keys: ["ctrl-c"], takeover: params["takeover"] })),
    call: typeof params["call"] === "string" ? params["call"] : null,
  });
  return { ...outcome };
}

export async function giveUp(target: ControlTarget, { call }: ControlParams): Promise<Record<string, unknown>> {
  if (typeof call !== "string") throw badValue("call", call, "the name of the call");
  return { interrupted: await shellOf(target).giveUp(call) };
}

export async function untilPrompt(target: ControlTarget, params: ControlParams): Promise<Record<string, unknown>> {
  const shell = shellOf(target);
  return { at_prompt: await shell.untilPrompt(milliseconds(params)), cwd: shell.cwd };
}

function shellOf({ session }: ControlTarget): ShellSession {
  if (session.shell !== null) return session.shell;
  throw new HoltError("EBADARGS", NOT_A_SHELL, { hint: SHELL_HINT });
}

function milliseconds({ timeout_ms }: ControlParams): number {
  if (isWithin(timeout_ms, 0, MAX_WAIT_MS)) return timeout_ms;
  throw badValue("timeout_ms", timeout_ms, `a whole number of milliseconds up to ${MAX_WAIT_MS}`);
}
