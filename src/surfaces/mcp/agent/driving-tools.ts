/** Tools that act on a session. */
import { agentTool } from "./agent-tool.ts";
import { howItWent } from "./describe.ts";

export const DRIVING = [
  agentTool({
    method: "session.send",
    title: "Type into a session",
    description:
      'Types into a session: `text` as it is (end a line with "\\n"), `keys` by name (["ctrl-c"], ["up","enter"], ["escape",":","q","enter"]), or `paste` for a block of text that a program should take as pasted. Returns when it was written; use session_wait with the cursor you had before to see what it does.',
    params: ["session_id", "text", "keys", "paste", "eof"],
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
