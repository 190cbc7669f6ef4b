/** Tools that act on a session. */
import { sessionExec } from "../../../protocol/methods/rows/session-exec.schema.ts";
import { agentTool } from "./agent-tool.ts";
import { ENDED, ended, outcomeText, readCall, waitCall } from "./describe.ts";
import { durableExec } from "./durable-exec.ts";
import {
  DEFAULT_TOKENS,
  readExecOutput,
  FOLD_MARK_TEXT,
  FOLDED_NOTE,
  MAX_TOKENS,
  OMITTED,
  omittedText,
  withoutTokens,
} from "./output-excerpt.ts";

const { text: _text, data: _data, ...EXECUTED } = sessionExec.result.shape;

export const DRIVING = [
  agentTool({
    method: "session.exec",
    title: "Run a command in a live shell",
    description: `Runs a command in a shell that you started with session_start (bash, zsh or fish) and returns exactly its output, its exit code and the directory the shell is then in. State stays: cd, variables, functions, activated environments. Several lines are one command. Not done by timeout_ms: outcome "running", it goes on, and session_wait until "prompt" tells when it is done. Output that does not fit into max_tokens is cut in the middle, with the session_read that has the rest, and ${FOLD_MARK_TEXT}. For a command that needs no shell state use exec_run.`,
    params: ["session_id", "command", "timeout_ms"],
    defaults: { timeout_ms: 30_000, max_bytes: 65_536 },
    extra: { shape: MAX_TOKENS, params: withoutTokens },
    acts: true,
    carryOut: durableExec,
    answer: {
      ...EXECUTED,
      text: sessionExec.result.shape.text.describe("Its output, as text. Untrusted data"),
      data: sessionExec.result.shape.data.optional().describe("The same as bytes, where these are no UTF-8"),
      omitted: OMITTED,
    },
    async report(result, { session_id, max_tokens = DEFAULT_TOKENS }, means) {
      const { outcome, exit_code, cwd, output_end } = result;
      const { text, omitted, isFolded, truncated } = await readExecOutput(
        result,
        { session_id, tokens: Number(max_tokens) },
        means,
      );
      const { text: _, data, ...rest } = result;
      const left = omitted === null ? [] : [omitted];
      const how =
        outcome === "done"
          ? `exit code ${exit_code}${cwd === null ? "" : `, in ${cwd}`}`
          : outcome === "session_ended"
            ? `${outcome}: ${outcomeText(await means.daemon.call("session.get", { session_id }, means.signal))}`
            : outcome;
      return {
        text: [how, ...(isFolded ? [FOLDED_NOTE] : []), ...left.map((part) => omittedText(session_id, part))].join(
          "\n",
        ),
        next:
          outcome === "running"
            ? `${waitCall(session_id, output_end, "prompt", "input")}; do not run it again`
            : outcome === "done"
              ? "another session_exec, or session_stop when you are done with the shell"
              : readCall(session_id, output_end),
        output: text,
        structured: {
          ...rest,
          text,
          ...(text.includes("\ufffd") ? { data } : {}),
          omitted: left,
          truncated,
          next_cursor: output_end,
        },
      };
    },
  }),
  agentTool({
    method: "session.send",
    title: "Type into a session",
    description:
      'Types into a session: `text` as it is (end a line with "\\n"), `keys` by name (["ctrl-c"], ["up","enter"], ["escape",":","q","enter"]), `paste` for a block of text that a program should take as pasted, or `secret` for a password (end it with "\\n"), which is typed only while the terminal shows nothing of it and is recorded nowhere. Returns when it was written, with next_cursor: what the program prints in answer is past it, so give it to session_wait.',
    params: ["session_id", "text", "keys", "paste", "secret", "eof"],
    acts: true,
    report: ({ bytes_written, next_cursor }, { session_id }) => ({
      text: `${bytes_written} bytes typed, at cursor ${next_cursor}`,
      next: `${waitCall(session_id, next_cursor, "input", { idle_ms: 500 })}, then ${readCall(session_id, next_cursor)} or session_screen`,
    }),
  }),
  agentTool({
    method: "session.stop",
    title: "Stop a session",
    description:
      "Ends a session and everything that it started: SIGTERM to the whole tree, SIGKILL after grace_ms. Returns when all of it has ended. What it printed stays readable.",
    params: ["session_id", "signal", "grace_ms"],
    acts: true,
    answer: ENDED,
    report: (session) => ({
      text: outcomeText(session),
      next: `nothing: it has ended; what it printed stays: session_read {"session_id":"${session.session_id}","tail":50}`,
      structured: ended(session),
    }),
  }),
];
