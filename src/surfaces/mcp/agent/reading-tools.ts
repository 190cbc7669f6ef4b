/** Tools that wait and look. */
import { agentTool } from "./agent-tool.ts";
import { howItWent, sessionLine } from "./describe.ts";

export const READING = [
  agentTool({
    method: "session.wait",
    title: "Wait for something",
    description:
      'Waits, without polling, until the first of these is so: "exit", "output" (anything new), "prompt" (a shell is done with its command), "input" (the program waits for a person; reason echo_off means a password), {"idle_ms":500} (quiet for so long), {"match":"REGEX"} in what is printed, {"screen_match":"REGEX"} on its screen, {"port":3000} (it listens; null: on any). An exit always ends the wait. What was printed before `cursor` does not count. After outcome "timeout" simply call again.',
    params: ["session_id", "until", "cursor", "timeout_ms"],
    readable({ outcome, cursor, match, reason, port, exit_code, signal }, { session_id }) {
      const found = match ?? reason ?? port;
      const how = exit_code ?? signal;
      const lines = [`${outcome}${found === null ? "" : `: ${found}`}${how === null ? "" : ` (${how})`}`];
      lines.push(
        outcome === "timeout"
          ? `next: call again with cursor "${cursor}", or look with session_screen`
          : `next: session_read {"session_id":"${session_id}"} for what was printed, or session_screen`,
      );
      return { text: lines.join("\n") };
    },
  }),
  agentTool({
    method: "session.read",
    title: "Read output",
    description:
      "What a session printed, as text in lines: escape sequences gone, progress bars as they ended, repeated lines told once. Of all of it: from `cursor` on, the last lines (`tail`), the first (`head`), or those that match (`grep`, with `before` and `after` lines of context). It fits into max_tokens; what was left out is named with the cursor to get it, so never run a command again to see more. Works while the command runs and long after.",
    params: [
      "session_id",
      "cursor",
      "until",
      "tail",
      "head",
      "grep",
      "literal",
      "ignore_case",
      "before",
      "after",
      "max_tokens",
      "channel",
    ],
    defaults: { view: "text", max_tokens: 8000 },
    readable({ text = "", next_cursor, eof, truncated, omitted, lines, matched }, { session_id }) {
      const told = [
        `${lines ?? 0} lines${matched === null || matched === undefined ? "" : `, ${matched.length} that match`}`,
      ];
      if (omitted !== null && omitted !== undefined)
        told.push(
          `left out: ${omitted.lines ?? "many"} lines; session_read {"session_id":"${session_id}","cursor":"${omitted.cursor}","until":"${omitted.until}"} has them`,
        );
      if (truncated) told.push("some output was not kept");
      told.push(
        eof ? `at its end: the session has ended` : `next: session_wait or session_read from cursor "${next_cursor}"`,
      );
      return { text: told.join("\n"), output: text };
    },
  }),
  agentTool({
    method: "session.screen",
    title: "Look at the screen",
    description:
      "What a session's terminal shows right now, as a person would see it: for full-screen programs (vim, htop, less, a debugger's TUI) and prompts. With `since_revision` of an earlier answer: only the rows that changed since. With `cursor`: as it was when so many bytes had been printed.",
    params: ["session_id", "since_revision", "cursor"],
    readable({ content, changed, revision, cols, rows, row, col, title }) {
      const named = title === "" ? "" : `, title ${JSON.stringify(title)}`;
      const place = `${cols}x${rows}, the cursor in row ${row + 1}, column ${col + 1}${named}`;
      const rowsTold = changed?.map((each) => `${each.row + 1}: ${each.text}`).join("\n");
      const what = content === undefined ? `${changed?.length ?? 0} rows changed` : "the whole screen";
      return {
        text: `${what}, ${place}\nnext time only what changed: since_revision "${revision}"`,
        output: content ?? rowsTold ?? "",
      };
    },
  }),
  agentTool({
    method: "session.list",
    title: "List sessions",
    description:
      "The sessions there are, newest first, whoever started them: id, name, state, exit code and command. Filter by states, name or project.",
    params: ["states", "name", "project_id", "limit", "offset"],
    defaults: { limit: 30 },
    readable({ sessions, total_count }) {
      if (sessions.length === 0) return { text: "no sessions" };
      const left = total_count - sessions.length;
      const lines = sessions.map(sessionLine);
      return { text: [...lines, ...(left > 0 ? [`… and ${left} more: offset ${sessions.length}`] : [])].join("\n") };
    },
  }),
  agentTool({
    method: "session.get",
    title: "Everything about a session",
    description:
      "State and why, exit code or signal, command, directory, size, times, how much it printed, and its processor time and memory.",
    params: ["session_id"],
    readable: (session) => ({
      text: `${sessionLine(session)}\n${howItWent(session)}; ${session.output_bytes} bytes printed; directory ${session.cwd}`,
    }),
  }),
];
