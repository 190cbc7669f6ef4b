/** A command in a live shell, through the death of a daemon: its holder goes on, and what the shell ran is on disk with its result. */
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Params, Result } from "../../../protocol/methods/table.schema.ts";
import { isLost } from "../daemon-link.ts";
import { LONGEST_CALL_MS } from "../over-mcp.ts";
import type { Means } from "./agent-tool.ts";

type Asked = Params<"session.exec">;
type Executed = Result<"session.exec">;
type Ran = Result<"session.commands">["commands"][number];

/** How long a shell may take to tell of a command that it was given. */
const TAKEN_MS = 2000;
const LOOK_MS = 50;

export async function execLasting(params: Asked, means: Means): Promise<Executed> {
  const { daemon, sessions, signal } = means;
  if (typeof params.session_id !== "string") return daemon.once("session.exec", params, signal); // it is refused there
  const before = sessions.commands(params.session_id, 1).commands.at(-1)?.number ?? 0;
  const until = performance.now() + (params.timeout_ms ?? LONGEST_CALL_MS);
  try {
    return await daemon.once("session.exec", params, signal);
  } catch (error) {
    if (!isLost(error)) throw error;
    return attended(params, { before, until }, means);
  }
}

interface Since {
  /** The number of the last command that was there before ours. */
  before: number;
  until: number;
}

async function attended(params: Asked, { before, until }: Since, { daemon, signal }: Means): Promise<Executed> {
  const { session_id } = params;
  const mine = async (): Promise<Ran | undefined> => {
    const { commands } = await daemon.call("session.commands", { session_id, limit: 20 }, signal);
    return commands.find(
      ({ number, by, command }) => number > before && by === "exec" && isSame(command, params.command),
    );
  };
  const takenBy = performance.now() + TAKEN_MS;
  let ran = await mine();
  while (ran === undefined && performance.now() < takenBy && !signal.aborted) {
    await Bun.sleep(LOOK_MS);
    ran = await mine();
  }
  if (ran === undefined) throw notKnown(session_id);
  if (ran.ended_at === null) {
    const timeout_ms = Math.max(0, Math.round(until - performance.now()));
    await daemon.call("session.wait", { session_id, until: "prompt", timeout_ms }, signal);
    ran = (await mine()) ?? ran;
  }
  const { state, output_bytes } = await daemon.call("session.get", { session_id }, signal);
  return withOutput(params, ran, { isRunning: state === "running", printed: String(output_bytes) }, { daemon, signal });
}

async function withOutput(
  { session_id, max_bytes }: Asked,
  { ended_at, exit_code, cwd, started_at, duration_ms, output_start, output_end }: Ran,
  shell: { isRunning: boolean; printed: string },
  { daemon, signal }: Pick<Means, "daemon" | "signal">,
): Promise<Executed> {
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

function notKnown(id: string): HoltError {
  return new HoltError("EIO", `the daemon died before the shell of session ${id} had taken the command`, {
    hint: `whether it was run is not known: session.read {"session_id": "${id}", "tail": 20} shows it; do not run it again before you looked`,
    details: { session_id: id },
  });
}
