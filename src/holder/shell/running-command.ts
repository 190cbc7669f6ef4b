/** A command of a shell from its start to its end, and the records of both. */
import { bootTime } from "../../platform/process/uptime.ts";
import type { ShellCommand, ShellOutcome } from "../../protocol/types/shell-command.ts";
import type { ShellHost } from "./shell-host.ts";

export interface CommandStart {
  by: ShellCommand["by"];
  command: string | null;
  isCut: boolean;
  cwd: string | null;
}

export interface RunningCommand {
  prompt: number;
  command: string | null;
  start: number;
  startedAt: number;
  /** Start by the monotonic clock. */
  since: number;
  end: { exitCode: number | null; cursor: number; at: number; durationMs: number } | null;
}

export function recordStart(host: ShellHost, what: CommandStart & { prompt: number; cursor: number }): RunningCommand {
  const { by, command, isCut, cwd, prompt, cursor } = what;
  const startedAt = Date.now();
  host.record({ type: "begin", at: rfc3339(startedAt), prompt, command, cut: isCut, cwd, by, cursor });
  return { prompt, command, start: cursor, startedAt, since: bootTime(), end: null };
}

export function recordEnd(
  host: ShellHost,
  running: RunningCommand,
  { exitCode, cursor, cwd }: { exitCode: number | null; cursor: number; cwd: string | null },
): void {
  const at = Date.now();
  const durationMs = Math.round((bootTime() - running.since) * 10) / 10;
  running.end = { exitCode, cursor, at, durationMs };
  const { prompt } = running;
  host.record({ type: "end", at: rfc3339(at), prompt, exit_code: exitCode, cwd, cursor, duration_ms: durationMs });
  host.flush();
}

export function shellOutcome(
  outcome: ShellOutcome["outcome"],
  { start, startedAt, end }: RunningCommand,
  { cwd, produced }: { cwd: string | null; produced: number },
): ShellOutcome {
  return {
    outcome,
    exit_code: end?.exitCode ?? null,
    cwd,
    started_at: rfc3339(startedAt),
    ended_at: end === null ? null : rfc3339(end.at),
    duration_ms: end?.durationMs ?? null,
    output_start: start,
    output_end: end?.cursor ?? (outcome === "session_ended" ? null : produced),
  };
}

function rfc3339(time: number): string {
  return new Date(time).toISOString();
}
