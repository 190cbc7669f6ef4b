/** A command in a live shell, through the death of a daemon: its holder goes on, and what the shell ran is on disk with its result. */
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { isDaemonLost } from "../daemon-link.ts";
import { MAX_CALL_MS } from "../host-params.ts";
import type { ToolRun } from "./agent-tool.ts";

type ExecParams = Params<"session.exec">;
type ExecResult = Result<"session.exec">;
type ShellCommand = Result<"session.commands">["commands"][number];

/** How long a shell may take to tell of a command that it was given. */
const RECORD_MS = 2000;
const POLL_MS = 50;

export async function durableExec(params: ExecParams, means: ToolRun): Promise<ExecResult> {
  const { daemon, sessions, signal } = means;
  if (typeof params.session_id !== "string") return daemon.callOnce("session.exec", params, signal); // it is refused there
  const before = sessions.commands(params.session_id, 1).commands.at(-1)?.number ?? 0;
  const until = performance.now() + (params.timeout_ms ?? MAX_CALL_MS);
  try {
    return await daemon.callOnce("session.exec", params, signal);
  } catch (error) {
    if (!isDaemonLost(error)) throw error;
    return resultFromRecord(params, { before, until }, means);
  }
}

interface ExecStart {
  /** The number of the last command that was there before ours. */
  before: number;
  until: number;
}

async function resultFromRecord(
  params: ExecParams,
  { before, until }: ExecStart,
  { daemon, signal }: ToolRun,
): Promise<ExecResult> {
  const { session_id } = params;
  const mine = async (): Promise<ShellCommand | undefined> => {
    const { commands } = await daemon.call("session.commands", { session_id, limit: 20 }, signal);
    return commands.find(
      ({ number, by, command }) => number > before && by === "exec" && isSame(command, params.command),
    );
  };
  const takenBy = performance.now() + RECORD_MS;
  let ran = await mine();
  while (ran === undefined && performance.now() < takenBy && !signal.aborted) {
    await Bun.sleep(POLL_MS);
    ran = await mine();
  }
  if (ran === undefined) throw execUnknown(session_id);
  if (ran.ended_at === null) {
    const timeout_ms = Math.max(0, Math.round(until - performance.now()));
    await daemon.call("session.wait", { session_id, until: "prompt", timeout_ms }, signal);
    ran = (await mine()) ?? ran;
  }
  const { state, output_bytes } = await daemon.call("session.get", { session_id }, signal);
  return withOutput(params, ran, { isRunning: state === "running", printed: String(output_bytes) }, { daemon, signal });
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

/** What is told of a command may be its beginning alone. */
function isSame(told: string | null, command: string): boolean {
  return told === null || told === command || (told.length > 0 && command.startsWith(told.replace(/…$/, "")));
}

function execUnknown(id: string): HoltError {
  return new HoltError("EIO", `the daemon died before the shell of session ${id} had taken the command`, {
    hint: `whether it was run is not known: session.read {"session_id": "${id}", "tail": 20} shows it; do not run it again before you looked`,
    details: { session_id: id },
  });
}
