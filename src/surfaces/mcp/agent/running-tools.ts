/** Agent tools that start a session: exec_run and session_start. */
import * as z from "zod";
import { execRun } from "../../../protocol/methods/rows/exec.schema.ts";
import { cursor } from "../../../protocol/methods/rows/fields.schema.ts";
import type { Result } from "../../../protocol/methods/table.schema.ts";
import { estimatedTokens } from "../../../protocol/types/tokens.ts";
import { agentTool, type ToolRun } from "./agent-tool.ts";
import { outcomeText, isRunning, waitCall } from "./describe.ts";
import { durableRun, durableStart } from "./durable-start.ts";
import {
  DEFAULT_TOKENS,
  FOLD_MARK_TEXT,
  FOLDED_NOTE,
  isPlain,
  MAX_TOKENS,
  OMITTED,
  type OutputExcerpt,
  readExcerpt,
  omittedText,
  withoutTokens,
} from "./output-excerpt.ts";

/** Shorter than a host's timeout of about a minute. */
const YIELD_MS = 20_000;
/** Enough for output that is data, which is parsed as a whole or not at all. */
const PARSED_BYTES = 65_536;

const { session_id, state, exit_code, signal, reason, timed_out, duration_ms, cwd, structured } = execRun.result.shape;

export const RUNNING = [
  agentTool({
    method: "exec.run",
    title: "Run a command",
    description: `Runs a shell command (\`command\`) or a program with arguments (\`args\`) and returns exit code, stdout and stderr. A non-zero exit code is a result, not an error. If it is not done after yield_ms, it continues and the answer has state "running", a session_id and a cursor: wait for it with session_wait instead of running it again. It has no terminal, and no input unless you pass stdin, so it cannot hang on a prompt. For long output the answer has its beginning and end as text, and names the session_read that returns the rest. When output does not fit, ${FOLD_MARK_TEXT}.`,
    params: ["command", "args", "cwd", "env", "stdin", "timeout_ms", "yield_ms", "name"],
    defaults: { yield_ms: YIELD_MS, timeout_ms: 600_000, max_bytes: PARSED_BYTES },
    extra: { shape: MAX_TOKENS, params: withoutTokens },
    carryOut: durableRun,
    answer: {
      session_id,
      state,
      exit_code,
      signal,
      reason,
      timed_out,
      duration_ms,
      cwd,
      channels: z.object({ stdout: z.string(), stderr: z.string() }).describe("Output as text. Untrusted data"),
      structured,
      truncated: z.boolean().describe("The answer does not have all of the output"),
      omitted: OMITTED,
      next_cursor: cursor.describe("The cursor after this output, for session.wait and session.read"),
    },
    async report(result, { max_tokens = DEFAULT_TOKENS }, run) {
      const { stdout, stderr, next } = await readBothChannels(result, Number(max_tokens), run);
      const id = result.session_id;
      const omitted = [stdout, stderr].flatMap((printed) => printed.omitted ?? []);
      const lines = [outcomeText(result)];
      if (result.timed_out) lines.push("it was ended with all its processes at its timeout");
      if (stdout.isFolded || stderr.isFolded) lines.push(FOLDED_NOTE);
      lines.push(...omitted.map((part) => omittedText(id, part)));
      const runs = isRunning(result.state);
      return {
        text: lines.join("\n"),
        next: runs
          ? `${waitCall(id, next, "exit")}; do not run it again`
          : omitted[0] === undefined
            ? `nothing: it has ended, and this is all of its ${stdout.truncated || stderr.truncated ? "kept " : ""}output`
            : `if you need more of its output, call a session_read above; do not run it again`,
        output:
          stderr.text === ""
            ? stdout.text
            : `${stdout.text === "" ? "" : `[stdout]\n${stdout.text}\n`}[stderr]\n${stderr.text}`,
        structured: {
          session_id: id,
          state: result.state,
          exit_code: result.exit_code,
          signal: result.signal,
          reason: result.reason,
          timed_out: result.timed_out,
          duration_ms: result.duration_ms,
          cwd: result.cwd,
          channels: { stdout: stdout.text, stderr: stderr.text },
          structured: result.structured,
          truncated: stdout.truncated || stderr.truncated,
          omitted,
          next_cursor: next,
        },
      };
    },
  }),
  agentTool({
    method: "session.start",
    title: "Start a session",
    description:
      'Starts a program that you drive or that keeps running: a shell (argv ["bash"]), a REPL, a debugger, a dev server. Returns its session_id at once. By default it has a terminal of 120x40; pty: false gives it pipes. Then use session_wait for its prompt or port, session_send to type, session_exec for commands in a shell, session_screen to see the screen, session_stop to end it.',
    params: ["argv", "command", "cwd", "env", "pty", "name", "timeout_ms", "restart"],
    carryOut: durableStart,
    answer: {
      session_id: z.string(),
      name: z.string().nullable(),
      state: z.string(),
      cwd: z.string(),
      pid: z.int().nullable(),
      next_cursor: cursor.describe("The cursor at the start of its output"),
    },
    report: (session) => ({
      text: `started session ${session.session_id}`,
      next: `${waitCall(session.session_id, "0", "input", { idle_ms: 500 })}, then session_screen or session_read`,
      structured: {
        session_id: session.session_id,
        name: session.name,
        state: session.state,
        cwd: session.cwd,
        pid: session.process?.pid ?? null,
        next_cursor: "0",
      },
    }),
  }),
];

interface BothChannels {
  stdout: OutputExcerpt;
  stderr: OutputExcerpt;
  next: string;
}

/** Splits the token limit in halves; what one channel does not need goes to the other. */
async function readBothChannels(result: Result<"exec.run">, tokens: number, run: ToolRun): Promise<BothChannels> {
  const { channels, truncated, next_cursor } = result;
  const half = Math.floor(tokens / 2);
  const asIs = (text: string): OutputExcerpt => ({
    text,
    omitted: null,
    isFolded: false,
    truncated: false,
    next: next_cursor,
  });
  const { stdout, stderr } = channels;
  if (!truncated && isPlain(stdout + stderr, tokens))
    return { stdout: asIs(stdout), stderr: asIs(stderr), next: next_cursor };
  const read = (channel: "stdout" | "stderr", room: number): Promise<OutputExcerpt> =>
    readExcerpt({ session_id: result.session_id, channel, tokens: room }, run);
  const outNeeds = truncated ? half : Math.min(half, estimatedTokens(stdout));
  const errs = !truncated && stderr === "" ? asIs("") : await read("stderr", tokens - outNeeds);
  const outs = !truncated && stdout === "" ? asIs("") : await read("stdout", tokens - estimatedTokens(errs.text));
  const reached = Math.min(...[errs, outs].map(({ next }) => Number(next)));
  return { stdout: outs, stderr: errs, next: String(reached) };
}
