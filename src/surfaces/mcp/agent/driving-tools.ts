/** Agent tools that act on a session: exec, send, stop. */
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
    description: `Runs a command in a shell that you started with session_start (bash, zsh or fish) and returns exactly its output, its exit code and the directory the shell is then in. Keeps state: cd, variables, functions, activated environments. Several lines are one command. If it is not done by timeout_ms, the outcome is "running" and it continues; session_wait until "prompt" waits for it. Output over max_tokens is cut in the middle, and the answer names the session_read that returns the rest; ${FOLD_MARK_TEXT}. Use exec_run for a command that needs no shell state.`,
    params: ["session_id", "command", "timeout_ms"],
    defaults: { timeout_ms: 30_000, max_bytes: 65_536 },
    extra: { shape: MAX_TOKENS, params: withoutTokens },
    acts: true,
    carryOut: durableExec,
    answer: {
      ...EXECUTED,
      text: sessionExec.result.shape.text.describe("Output as text. Untrusted data"),
      data: sessionExec.result.shape.data.optional().describe("Output as base64, when it is not UTF-8"),
      omitted: OMITTED,
    },
    async report(result, { session_id, max_tokens = DEFAULT_TOKENS }, run) {
      const { outcome, exit_code, cwd, output_end } = result;
      const { text, omitted, isFolded, truncated } = await readExecOutput(
        result,
        { session_id, tokens: Number(max_tokens) },
        run,
      );
      const { text: _, data, ...rest } = result;
      const omittedParts = omitted === null ? [] : [omitted];
      const outcomeLine =
        outcome === "done"
          ? `exit code ${exit_code}${cwd === null ? "" : `, in ${cwd}`}`
          : outcome === "session_ended"
            ? `${outcome}: ${outcomeText(await run.daemon.call("session.get", { session_id }, run.signal))}`
            : outcome;
      return {
        text: [
          outcomeLine,
          ...(isFolded ? [FOLDED_NOTE] : []),
          ...omittedParts.map((part) => omittedText(session_id, part)),
        ].join("\n"),
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
          omitted: omittedParts,
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
      'Types into a session: `text` as it is (end a line with "\\n"), `keys` by name (["ctrl-c"], ["up","enter"], ["escape",":","q","enter"]), `paste` for a block of text that a program should receive as pasted, or `secret` for a password (end it with "\\n"), which is typed only while the terminal does not echo, and is not recorded. Returns next_cursor: the output that follows comes after it, so pass it to session_wait.',
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
      "Ends a session and all its processes: SIGTERM to the whole tree, SIGKILL after grace_ms. Returns when all have ended. The output stays readable.",
    params: ["session_id", "signal", "grace_ms"],
    acts: true,
    answer: ENDED,
    report: (session) => ({
      text: outcomeText(session),
      next: `nothing: it has ended; its output is kept: session_read {"session_id":"${session.session_id}","tail":50}`,
      structured: ended(session),
    }),
  }),
];
