/** The exit status of a session as a shell reports it. */
import { signalNumber } from "../../platform/process/signals.ts";
import type { Session } from "../../protocol/types/session.ts";

const SIGNALED = 128;

/** The exit code, or 128 plus the signal number. Null: unknown, or not ended. */
export function exitStatus({ exit_code, signal }: Pick<Session, "exit_code" | "signal">): number | null {
  return exit_code ?? (signal === null ? null : SIGNALED + signalNumber(signal));
}
