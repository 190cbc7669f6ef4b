/** Agent tools that wait, read and list. */
import * as z from "zod";
import { counted } from "../../../terminal/text/counted.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { SOME_UNJUDGED, unjudgedText } from "../../../terminal/text/unjudged-text.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { agentTool, type ToolRun } from "./agent-tool.ts";
import {
  nextAfterEnd,
  BRIEF,
  brief,
  callText,
  outcomeText,
  isRunning,
  readCall,
  sessionLine,
  waitCall,
} from "./describe.ts";
import { MAX_READ_BYTES } from "./output-excerpt.ts";

/** The longest wait in one call to the daemon. */
const PART_MS = 50_000;

export const READING = [
  agentTool({
    method: "session.wait",
    title: "Wait for something",
    description:
      'Waits, without polling, until the first of these conditions is true: "exit", "output" (anything new), "prompt" (a shell has finished its command), "input" (the program waits for input; reason echo_off means a password), {"idle_ms":500} (no output for that time), {"match":"REGEX"} in the output, {"screen_match":"REGEX"} on its screen, {"port":3000} (it listens; null: any port). An exit always ends the wait. Only output after `cursor` counts: pass the next_cursor of your previous call. After outcome "timeout", call again as `next` says; with a progress token, timeout_ms has no limit.',
    params: ["session_id", "until", "cursor", "timeout_ms"],
    defaults: { timeout_ms: 30_000 },
    carryOut: waitInParts,
    report({ outcome, cursor, match, reason, port, exit_code, signal, unjudged }, { session_id, cursor: from, until }) {
      const found = reason ?? port;
      const exit = exit_code ?? signal;
      // A wait does not return output, so the next step starts where this wait started, not where
      // it ended.
      const again = callText("session_wait", { session_id, until: until ?? ["exit"], cursor: from ?? cursor });
      const printed = `${readCall(session_id, from)} for its output${from === undefined ? "" : " since then"}`;
      return {
        text: `${outcome}${found === null ? "" : `: ${found}`}${exit === null ? "" : ` (${exit})`}, at cursor ${cursor}${unjudged ? `\n${SOME_UNJUDGED}` : ""}`,
        next:
          outcome === "timeout"
            ? `${again}, or look with session_screen${from === undefined ? `; ${printed} so far` : ""}`
            : outcome === "exited"
              ? printed
              : `${printed}, or session_screen; to wait for more, go on from cursor "${cursor}"`,
        output: match === null ? "" : `matched: ${match}`,
      };
    },
  }),
  agentTool({
    method: "session.read",
    title: "Read output",
    description:
      "Reads a session's output as lines of text: without escape sequences, progress bars in their last state, equal lines folded (⟨×N⟩: N lines). Returns output from `cursor`, the last lines (`tail`), the first (`head`), or matching lines (`grep`, with `before` and `after` lines of context). The answer fits max_tokens and names the cursor of everything omitted, so never run a command again to see more. Works while the command runs and after it has ended.",
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
    defaults: { view: "text", final_newline: true, max_tokens: 8000, max_bytes: MAX_READ_BYTES },
    report({ text = "", next_cursor, eof, truncated, omitted, lines, matched, unjudged }, given) {
      const { session_id, channel } = given;
      const summary = [
        `${counted(lines ?? 0, "line")}${matched === null || matched === undefined ? "" : `, ${matched.length} that match`}`,
      ];
      const isCut = omitted !== null && omitted !== undefined;
      const rest = isCut
        ? callText("session_read", { session_id, channel, cursor: omitted.cursor, until: omitted.until })
        : "";
      if (unjudged?.[0] !== undefined) summary.push(unjudgedText(unjudged.length));
      if (isCut)
        summary.push(
          `omitted: ${omitted.lines === null ? counted(omitted.bytes, "byte") : counted(omitted.lines, "line")}`,
        );
      else if (truncated && unjudged?.[0] === undefined) summary.push("some output was not kept");
      if (eof) summary.push("at its end: the session has ended");
      return {
        text: summary.join("\n"),
        next: isCut
          ? `${rest} returns what was omitted`
          : eof
            ? nextAfterEnd(given)
            : waitCall(session_id, next_cursor, "output", "exit"),
        output: text,
      };
    },
  }),
  agentTool({
    method: "session.screen",
    title: "Look at the screen",
    description:
      "Returns the current screen of a session's terminal: for full-screen programs (vim, htop, less, a debugger's TUI) and prompts. With `since_revision` of an earlier answer: only the rows that changed since then. With `cursor`: the screen at that offset of the output.",
    params: ["session_id", "since_revision", "cursor"],
    report({ content, changed, revision, cols, rows, row, col, title, cursor }, { session_id }) {
      const named = title === "" ? "" : `title: ${oneLine(title)}\n`;
      const sizeAndCursor = `${cols}x${rows}, the cursor in row ${row + 1}, column ${col + 1}`;
      const changedRows = changed?.map((each) => `${each.row + 1}: ${each.text}`).join("\n");
      const what = content === undefined ? `${counted(changed?.length ?? 0, "row")} changed` : "the whole screen";
      return {
        text: `${what}, ${sizeAndCursor}`,
        next: `session_send to type, or ${waitCall(session_id, cursor, "output")}; then only what changed: ${callText("session_screen", { session_id, since_revision: revision })}`,
        output: `${named}${content ?? changedRows ?? ""}`,
      };
    },
  }),
  agentTool({
    method: "session.search",
    title: "Search all output",
    description:
      "Searches the output of all sessions, running or ended, newest first. Each hit has a session_id and a cursor: session_read from there shows its context.",
    params: ["query", "regex", "ignore_case", "project", "since", "limit", "after"],
    defaults: { limit: 20 },
    report: ({ hits, searched, unjudged, next }, given) => ({
      text: `${counted(hits.length, "hit")} in ${counted(searched, "session")}${unjudged === 0 ? "" : `\n${unjudgedText(unjudged)}`}`,
      next: [
        ...(hits[0] === undefined
          ? []
          : [`${readCall(hits[0].session_id, hits[0].cursor)} shows the context of the first`]),
        ...(next === null ? [] : [`${callText("session_search", { ...given, after: next })} has more`]),
        ...(hits[0] === undefined && next === null ? ["no hits: try another query, or session_list"] : []),
      ].join("; "),
      output: hits.map(({ session_id, cursor, line }) => `${session_id} ${cursor}: ${line}`).join("\n"),
    }),
  }),
  agentTool({
    method: "session.list",
    title: "List sessions",
    description:
      "Lists all sessions of all clients, newest first: id, name, state, exit code and command. Filter by states, name or project.",
    params: ["states", "name", "project_id", "limit", "offset"],
    defaults: { limit: 30 },
    answer: { sessions: z.array(z.object(BRIEF)), total_count: z.int() },
    report({ sessions, total_count }, { offset = 0, ...given }) {
      const seen = offset + sessions.length;
      const [first] = sessions;
      return {
        text: `${sessions.length} of ${counted(total_count, "session")}`,
        next:
          first === undefined
            ? "exec_run or session_start starts one"
            : `session_get or session_read with one of these ids${seen < total_count ? `; ${callText("session_list", { ...given, offset: seen })} has more` : ""}`,
        output: sessions.map(sessionLine).join("\n"),
        structured: { sessions: sessions.map(brief), total_count },
      };
    },
  }),
  agentTool({
    method: "session.get",
    title: "Get a session",
    description:
      "Returns all data of a session: state and reason, exit code or signal, command, directory, size, times, size of the output, processor time and memory.",
    params: ["session_id"],
    report(session) {
      const { session_id, state, output_bytes, cwd } = session;
      const end = String(output_bytes);
      return {
        text: `${outcomeText(session)}; ${counted(output_bytes, "byte")} printed; directory ${oneLine(cwd)}`,
        next: isRunning(state)
          ? `${waitCall(session_id, end, "exit", "output")}, or ${callText("session_read", { session_id, tail: 50 })}`
          : callText("session_read", { session_id, tail: 50 }),
        output: sessionLine(session),
      };
    },
  }),
];

/**
 * A wait that may take several calls to the daemon. Its cursor is fixed at the start, so that
 * output between two calls counts.
 */
async function waitInParts(
  params: Params<"session.wait">,
  { daemon, sessions, signal }: ToolRun,
): Promise<Result<"session.wait">> {
  const { session_id, timeout_ms } = params;
  if (typeof timeout_ms !== "number" || typeof session_id !== "string")
    return daemon.call("session.wait", params, signal); // the daemon refuses it
  const deadline = performance.now() + timeout_ms;
  const cursor = params.cursor ?? outputEnd(sessions, session_id);
  for (;;) {
    const left = Math.max(0, Math.round(deadline - performance.now()));
    const part = { ...params, cursor, timeout_ms: Math.min(left, PART_MS) };
    const waited = await daemon.call("session.wait", part, signal);
    if (waited.outcome !== "timeout" || left <= PART_MS) return waited;
  }
}

/** Read once: the next daemon would take later output for old. */
function outputEnd(sessions: ToolRun["sessions"], id: string): string {
  using reader = sessions.reader(id);
  return String(reader.end());
}
