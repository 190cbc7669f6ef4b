/**
 * Tool names of stead, accepted but not listed, for agents written for it. Each call becomes a call
 * of one of our tools. stead's `sessionId` names a project; it is dropped, as the tools that start a
 * command take no project.
 */
import type { ToolCall, Toolset } from "../toolsets/toolset.ts";

type Given = Record<string, unknown>;

export const ALIASES = {
  execute: run,
  execute_command: run,
  /** `offset` is a byte of the output, which is what a cursor is. */
  get_output({ executionId, execution_id, offset, ...rest }: Given): ToolCall {
    const session_id = executionId ?? execution_id;
    const cursor = typeof offset === "number" ? String(offset) : offset;
    return { name: "session_read", arguments: { ...defined({ session_id, cursor }), ...rest } };
  },
  spawn_shell(given: Given): ToolCall {
    const { command, size, sessionId: _project, environment, workingDirectory, ...rest } = given;
    const what = typeof command === "string" ? { command } : { argv: [process.env["SHELL"] ?? "/bin/sh"] };
    return {
      name: "session_start",
      arguments: { ...what, ...defined({ pty: size, env: environment, cwd: workingDirectory }), ...rest },
    };
  },
} satisfies Toolset["aliases"];

/** With `background`, the call returns as soon as the command runs. */
function run(given: Given): ToolCall {
  const { timeout, background, sessionId: _project, environment, workingDirectory, ...rest } = given;
  const yields = background === true ? { yield_ms: 0 } : {};
  const named = defined({ timeout_ms: timeout, env: environment, cwd: workingDirectory });
  return { name: "exec_run", arguments: { ...named, ...yields, ...rest } };
}

/** Without undefined values. */
function defined(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
