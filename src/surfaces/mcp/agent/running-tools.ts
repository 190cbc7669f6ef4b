/** Tools that start something. */
import { agentTool } from "./agent-tool.ts";
import { goOn, howItWent, sessionLine } from "./describe.ts";

/** A host gives up on a call after a minute or so; the command need not. */
const YIELD_MS = 20_000;

export const RUNNING = [
  agentTool({
    method: "exec.run",
    title: "Run a command",
    description:
      'Runs a shell command (`command`) or a program with arguments (`args`) and returns exit code, stdout and stderr. A non-zero exit code is a result, not an error. If it is not done after yield_ms it goes on by itself and you get state "running", a session_id and a cursor: wait for it with session_wait instead of running it again. It has no terminal and reads nothing unless you give stdin, so it cannot hang on a prompt. Output beyond max_bytes is kept: read it with session_read.',
    params: ["command", "args", "cwd", "env", "stdin", "timeout_ms", "yield_ms", "max_bytes", "name"],
    defaults: { yield_ms: YIELD_MS, max_bytes: 32_768, timeout_ms: 600_000 },
    readable(result) {
      const { channels, timed_out, truncated, next_cursor, session_id, state } = result;
      const lines = [howItWent(result)];
      if (timed_out) lines.push("it was ended, with everything that it had started, when its time was up");
      if (state === "running") lines.push(goOn(session_id, next_cursor));
      else if (truncated) lines.push(`there is more output: session_read from cursor "${next_cursor}"`);
      const named = Object.entries(channels)
        .map(([name, said]) => [name, typeof said === "string" ? said : JSON.stringify(said)] as const)
        .filter(([, text]) => text !== "");
      const output =
        named.length === 1 && named[0]?.[0] === "stdout"
          ? named[0][1]
          : named.map(([name, text]) => `[${name}]\n${text}`).join("\n");
      return { text: lines.join("\n"), output };
    },
  }),
  agentTool({
    method: "session.start",
    title: "Start a session",
    description:
      'Starts a program that you drive or that runs on: a shell (argv ["bash"]), a REPL, a debugger, a dev server. Returns its session_id at once. By default it has a terminal of 120x40; pty: false gives it pipes. Then session_wait for its prompt or its port, session_send to type, session_exec for commands in a shell, session_screen to look, session_stop to end it.',
    params: ["argv", "command", "cwd", "env", "pty", "name", "timeout_ms", "restart"],
    readable: (session) => ({
      text: `started ${sessionLine(session)}\nnext: session_wait {"session_id":"${session.session_id}","until":["input",{"idle_ms":500}],"cursor":"0"}, then session_screen or session_read`,
    }),
  }),
];
