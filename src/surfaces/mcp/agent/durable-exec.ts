/**
 * Runs a command in a live shell and survives the death of the daemon: the session's holder
 * continues, and the commands of the shell are recorded on disk with their results.
 */
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { isDaemonLost } from "../daemon-link.ts";
import { MAX_CALL_MS } from "../host-params.ts";
import type { ToolRun } from "./agent-tool.ts";

type ExecParams = Params<"session.exec">;
type ExecResult = Result<"session.exec">;
type ShellCommand = Result<"session.commands">["commands"][number];

/** Time for the shell to record a command that was sent to it. */
const RECORD_MS = 2000;
const POLL_MS = 50;

export async function durableExec(params: ExecParams, run: ToolRun): Promise<ExecResult> {
  const { daemon, sessions, signal } = run;
  if (typeof params.session_id !== "string") return daemon.callOnce("session.exec", params, signal); // the daemon refuses it
  const before = sessions.commands(params.session_id, 1).commands.at(-1)?.number ?? 0;
  const until = performance.now() + (params.timeout_ms ?? MAX_CALL_MS);
  try {
    return await daemon.callOnce("session.exec", params, signal);
  } catch (error) {
    if (!isDaemonLost(error)) throw error;
    return resultFromRecord(params, { before, until }, run);
  }
}

interface ExecStart {
  /** The number of the last command before ours. */
  before: number;
  until: number;
}

async function resultFromRecord(
  params: ExecParams,
  { before, until }: ExecStart,
  { daemon, signal }: ToolRun,
): Promise<ExecResult> {
  const { session_id } = params;
  const ownCommand = async (): Promise<ShellCommand | undefined> => {
    const { commands } = await daemon.call("session.commands", { session_id, limit: 20 }, signal);
    return commands.find(
      ({ number, by, command }) => number > before && by === "exec" && isSame(command, params.command),
    );
  };
  const takenBy = performance.now() + RECORD_MS;
  let command = await ownCommand();
  while (command === undefined && performance.now() < takenBy && !signal.aborted) {
    await Bun.sleep(POLL_MS);
    command = await ownCommand();
  }
  if (command === undefined) throw execUnknown(session_id);
  if (command.ended_at === null) {
    const timeout_ms = Math.max(0, Math.round(until - performance.now()));
    await daemon.call("session.wait", { session_id, until: "prompt", timeout_ms }, signal);
    command = (await ownCommand()) ?? command;
  }
  const { state, output_bytes } = await daemon.call("session.get", { session_id }, signal);
  return withOutput(
    params,
    command,
    { isRunning: state === "running", printed: String(output_bytes) },
    { daemon, signal },
  );
}

async function withOutput(
  { session_id, max_bytes }: ExecParams,
  { ended_at, exit_code, cwd, started_at, duration_ms, output_start, output_end }: ShellCommand,
  shell: { isRunning: boolean; printed: string },
  { daemon, signal }: Pick<ToolRun, "daemon" | "signal">,
): Promise<ExecResult> {
  const end = output_end ?? shell.printed;
  const { chunks = [], next_cursor } = await daemon.call(
    "session.read",
    { session_id, cursor: output_start, until: end, ...(max_bytes === undefined ? {} : { max_bytes }) },
    signal,
  );
  const bytes = Buffer.concat(chunks.map(({ data }) => Buffer.from(data, "base64")));
  return {
    outcome: ended_at !== null ? "done" : shell.isRunning ? "running" : "session_ended",
    exit_code,
    cwd,
    started_at,
    ended_at,
    duration_ms,
    text: bytes.toString().replaceAll("\r\n", "\n"),
    data: bytes.toString("base64"),
    output_start,
    output_end: end,
    next_cursor,
    truncated: Number(next_cursor) < Number(end),
  };
}

/** The recorded command may be only its beginning. */
function isSame(recorded: string | null, command: string): boolean {
  return (
    recorded === null || recorded === command || (recorded.length > 0 && command.startsWith(recorded.replace(/…$/, "")))
  );
}

function execUnknown(id: string): HoltError {
  return new HoltError("EIO", `the daemon died before the shell of session ${id} received the command`, {
    hint: `it may have been run: check with session.read {"session_id": "${id}", "tail": 20} before you run it again`,
    details: { session_id: id },
  });
}
