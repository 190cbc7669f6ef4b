/** Tools that wait and look. */
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

/** The longest wait that the daemon takes in one call from here. */
const PART_MS = 50_000;

export const READING = [
  agentTool({
    method: "session.wait",
    title: "Wait for something",
    description:
      'Waits, without polling, until the first of these is so: "exit", "output" (anything new), "prompt" (a shell is done with its command), "input" (the program waits for a person; reason echo_off means a password), {"idle_ms":500} (quiet for so long), {"match":"REGEX"} in what is printed, {"screen_match":"REGEX"} on its screen, {"port":3000} (it listens; null: on any). An exit always ends the wait. Only what is printed past `cursor` counts: give the next_cursor of what you did before. After outcome "timeout" call again as `next` says; where the call has a progress token, timeout_ms may be as long as you like.',
    params: ["session_id", "until", "cursor", "timeout_ms"],
    defaults: { timeout_ms: 30_000 },
    carryOut: waitInParts,
    report({ outcome, cursor, match, reason, port, exit_code, signal, unjudged }, { session_id, cursor: from, until }) {
      const found = reason ?? port;
      const how = exit_code ?? signal;
      // A wait does not show what was printed meanwhile: the next step starts where this one did, not where it ended.
      const again = callText("session_wait", { session_id, until: until ?? ["exit"], cursor: from ?? cursor });
      const printed = `${readCall(session_id, from)} for what it printed${from === undefined ? "" : " since"}`;
      return {
        text: `${outcome}${found === null ? "" : `: ${found}`}${how === null ? "" : ` (${how})`}, at cursor ${cursor}${unjudged ? `\n${SOME_UNJUDGED}` : ""}`,
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
      "What a session printed, as text in lines: escape sequences gone, progress bars as they ended, lines alike told once (⟨×N⟩: there were N). Of all of it: from `cursor` on, the last lines (`tail`), the first (`head`), or those that match (`grep`, with `before` and `after` lines of context). It fits into max_tokens; what was left out, also of a line that is too long, is named with the cursor to get it, so never run a command again to see more. Works while the command runs and long after.",
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
      const told = [
        `${counted(lines ?? 0, "line")}${matched === null || matched === undefined ? "" : `, ${matched.length} that match`}`,
      ];
      const isCut = omitted !== null && omitted !== undefined;
      const rest = isCut
        ? callText("session_read", { session_id, channel, cursor: omitted.cursor, until: omitted.until })
        : "";
      if (unjudged?.[0] !== undefined) told.push(unjudgedText(unjudged.length));
      if (isCut)
        told.push(
          `left out: ${omitted.lines === null ? counted(omitted.bytes, "byte") : counted(omitted.lines, "line")}`,
        );
      else if (truncated && unjudged?.[0] === undefined) told.push("some output was not kept");
      if (eof) told.push("at its end: the session has ended");
      return {
        text: told.join("\n"),
        next: isCut
          ? `${rest} has what was left out`
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
      "What a session's terminal shows right now, as a person would see it: for full-screen programs (vim, htop, less, a debugger's TUI) and prompts. With `since_revision` of an earlier answer: only the rows that changed since. With `cursor`: as it was when so many bytes had been printed.",
    params: ["session_id", "since_revision", "cursor"],
    report({ content, changed, revision, cols, rows, row, col, title, cursor }, { session_id }) {
      const named = title === "" ? "" : `title: ${oneLine(title)}\n`;
      const place = `${cols}x${rows}, the cursor in row ${row + 1}, column ${col + 1}`;
      const rowsTold = changed?.map((each) => `${each.row + 1}: ${each.text}`).join("\n");
      const what = content === undefined ? `${counted(changed?.length ?? 0, "row")} changed` : "the whole screen";
      return {
        text: `${what}, ${place}`,
        next: `session_send to type, or ${waitCall(session_id, cursor, "output")}; then only what changed: ${callText("session_screen", { session_id, since_revision: revision })}`,
        output: `${named}${content ?? rowsTold ?? ""}`,
      };
    },
  }),
  agentTool({
    method: "session.search",
    title: "Search all output",
    description:
      "Finds text in what any session has printed, running or ended, newest first: which run it was, and where. Each hit has a session_id and a cursor: session_read from there shows what stood around it.",
    params: ["query", "regex", "ignore_case", "project", "since", "limit", "after"],
    defaults: { limit: 20 },
    report: ({ hits, searched, unjudged, next }, given) => ({
      text: `${counted(hits.length, "hit")} in ${counted(searched, "session")}${unjudged === 0 ? "" : `\n${unjudgedText(unjudged)}`}`,
      next: [
        ...(hits[0] === undefined
          ? []
          : [`${readCall(hits[0].session_id, hits[0].cursor)} shows what stood around the first`]),
        ...(next === null ? [] : [`${callText("session_search", { ...given, after: next })} has more`]),
        ...(hits[0] === undefined && next === null ? ["nothing was found: another query, or session_list"] : []),
      ].join("; "),
      output: hits.map(({ session_id, cursor, line }) => `${session_id} ${cursor}: ${line}`).join("\n"),
    }),
  }),
  agentTool({
    method: "session.list",
    title: "List sessions",
    description:
      "The sessions there are, newest first, whoever started them: id, name, state, exit code and command. Filter by states, name or project.",
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
    title: "Everything about a session",
    description:
      "State and why, exit code or signal, command, directory, size, times, how much it printed, and its processor time and memory.",
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

/** A wait that may last longer than one call to the daemon, where the host gets progress; its cursor is fixed here, whatever dies meanwhile. */
async function waitInParts(
  params: Params<"session.wait">,
  { daemon, sessions, signal }: ToolRun,
): Promise<Result<"session.wait">> {
  const { session_id, timeout_ms } = params;
  if (typeof timeout_ms !== "number" || typeof session_id !== "string")
    return daemon.call("session.wait", params, signal); // it is refused there
  const deadline = performance.now() + timeout_ms;
  const cursor = params.cursor ?? outputEnd(sessions, session_id);
  for (;;) {
    const left = Math.max(0, Math.round(deadline - performance.now()));
    const part = { ...params, cursor, timeout_ms: Math.min(left, PART_MS) };
    const waited = await daemon.call("session.wait", part, signal);
    if (waited.outcome !== "timeout" || left <= PART_MS) return waited;
  }
}

/** Fixed once: the next daemon would take what was printed meanwhile for old. */
function outputEnd(sessions: ToolRun["sessions"], id: string): string {
  using reader = sessions.reader(id);
  return String(reader.end());
}
