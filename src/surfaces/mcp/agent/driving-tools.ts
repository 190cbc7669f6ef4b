/** Tools that act on a session. */
import { agentTool } from "./agent-tool.ts";
import { howItWent } from "./describe.ts";

export const DRIVING = [
  agentTool({
    method: "session.exec",
    title: "Run a command in a live shell",
    description:
      'Runs a command in a shell that you started with session_start (bash, zsh or fish) and returns exactly its output, its exit code and the directory the shell is then in. State stays: cd, variables, functions, activated environments. Several lines are one command. Not done by timeout_ms: outcome "running", it goes on, and session_wait until "prompt" tells when it is done. For a command that needs no shell state use exec_run.',
    params: ["session_id", "command", "timeout_ms", "max_bytes"],
    defaults: { max_bytes: 32_768 },
    acts: true,
    readable({ outcome, exit_code, cwd, text, truncated, output_start, next_cursor }, { session_id }) {
      const lines = [outcome === "done" ? `exit code ${exit_code}${cwd === null ? "" : `, in ${cwd}`}` : outcome];
      if (outcome === "running")
        lines.push(`next: session_wait {"session_id":"${session_id}","until":["prompt"],"cursor":"${next_cursor}"}`);
      if (truncated) lines.push(`its whole output begins at cursor "${output_start}": session_read`);
      return { text: lines.join("\n"), output: text };
    },
  }),
  agentTool({
    method: "session.send",
    title: "Type into a session",
    description:
      'Types into a session: `text` as it is (end a line with "\\n"), `keys` by name (["ctrl-c"], ["up","enter"], ["escape",":","q","enter"]), `paste` for a block of text that a program should take as pasted, or `secret` for a password (end it with "\\n"), which is typed only while the terminal shows nothing of it and is recorded nowhere. Returns when it was written; use session_wait with the cursor you had before to see what it does.',
    params: ["session_id", "text", "keys", "paste", "secret", "eof"],
    acts: true,
    readable: ({ bytes_written }, { session_id }) => ({
      text: `${bytes_written} bytes typed\nnext: session_wait {"session_id":"${session_id}","until":["input",{"idle_ms":500}]}, then session_screen or session_read`,
    }),
  }),
  agentTool({
    method: "session.stop",
    title: "Stop a session",
    description:
      "Ends a session and everything that it started: SIGTERM to the whole tree, SIGKILL after grace_ms. Returns when all of it has ended. What it printed stays readable.",
    params: ["session_id", "signal", "grace_ms"],
    acts: true,
    readable: (session) => ({ text: howItWent(session) }),
  }),
];
