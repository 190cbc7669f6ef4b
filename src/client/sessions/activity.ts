/**
 * The current activity of running sessions: process usage, last line, input state, number of
 * clients.
 */
import { allProcesses, type ProcessStatus, readProc } from "../../platform/process/processes.ts";
import type { Session } from "../../protocol/types/session.ts";
import { callOnce } from "../holder/holder-call.ts";
import { lastOutput } from "./last-output.ts";
import type { LocalSessions } from "./local-sessions.ts";

export interface Activity {
  session_id: string;
  cpu_ms: number;
  memory_bytes: number;
  processes: number;
  output_bytes: number;
  last_line: string;
  waiting: "reading" | "echo_off" | "prompt" | null;
  clients: number;
}

/** The answers of a busy holder are left out after this long. */
const ANSWER_MS = 1000;
const MAX_CONCURRENT = 16;

export async function activityOf(sessions: LocalSessions, signal: AbortSignal): Promise<Activity[]> {
  const living = sessions.living().filter(({ process }) => process !== null);
  const trees = new ProcessTrees(allProcesses());
  const activities: Activity[] = [];
  for (let at = 0; at < living.length && !signal.aborted; at += MAX_CONCURRENT) {
    const batch = living.slice(at, at + MAX_CONCURRENT);
    activities.push(
      ...(await Promise.all(batch.map((session) => activityOfSession(sessions, session, trees, signal)))),
    );
  }
  return activities;
}

async function activityOfSession(
  sessions: LocalSessions,
  session: Session,
  trees: ProcessTrees,
  signal: AbortSignal,
): Promise<Activity> {
  const [waiting, clients] = await Promise.all([
    answerOrNull(callOnce(session, "input_state", {}, { answerMs: ANSWER_MS, signal })),
    answerOrNull(callOnce(session, "clients", {}, { answerMs: ANSWER_MS, signal })),
  ]);
  return {
    session_id: session.session_id,
    ...trees.usageOf(session.process?.pid ?? 0),
    output_bytes: session.output_bytes,
    last_line: lastOutput(sessions, session),
    waiting:
      waiting?.waiting === "reading" && (waiting.full_screen === true || isAtPrompt(sessions, session))
        ? "prompt"
        : (waiting?.waiting ?? null),
    clients: clients?.clients.length ?? 0,
  };
}

/** True for a shell with shell integration that runs no command: it needs no input. */
function isAtPrompt(sessions: LocalSessions, { session_id }: Session): boolean {
  try {
    const { shell, commands } = sessions.commands(session_id, 1);
    return shell !== null && commands.every(({ ended_at }) => ended_at !== null);
  } catch {
    return false;
  }
}

async function answerOrNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch {
    return null; // the session ended, or its holder does not answer
  }
}

class ProcessTrees {
  readonly #children: ReadonlyMap<number, readonly ProcessStatus[]>;
  readonly #bySession: ReadonlyMap<number, readonly ProcessStatus[]>;
  readonly #byPid: ReadonlyMap<number, ProcessStatus>;

  constructor(all: readonly ProcessStatus[]) {
    this.#children = Map.groupBy(all, ({ parent }) => parent);
    this.#bySession = Map.groupBy(all, ({ session }) => session);
    this.#byPid = new Map(all.map((status) => [status.pid, status]));
  }

  /** Usage of the command, its descendants, and the other processes of its terminal's session. */
  usageOf(pid: number): Pick<Activity, "cpu_ms" | "memory_bytes" | "processes"> {
    const command = this.#byPid.get(pid);
    if (command === undefined) return { cpu_ms: 0, memory_bytes: 0, processes: 0 };
    const found = new Map<number, ProcessStatus>();
    // A session leader other than the command is a process of holt.
    const beside = (this.#bySession.get(command.session) ?? []).filter((each) => each.pid !== command.session);
    const waiting = [command, ...beside];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next.pid)) continue;
      found.set(next.pid, next);
      waiting.push(...(this.#children.get(next.pid) ?? []));
    }
    const all = [...found.values()];
    return {
      cpu_ms: all.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * TICK_MS,
      memory_bytes: all.reduce((sum, status) => sum + processMemory(status.pid), 0),
      processes: all.length,
    };
  }
}

/** The unit of processor time: a hundredth of a second on every Linux. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Resident bytes; 0 if unknown. */
function processMemory(pid: number): number {
  const pages = Number(readProc(`/proc/${pid}/statm`)?.split(" ")[1] ?? 0);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : 0;
}
