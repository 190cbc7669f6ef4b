import { signalNumber } from "../../platform/process/signals.ts";
import type { Session } from "../../protocol/types/session.ts";

const SIGNALED = 128;

/** As a shell has it: the exit code, or 128 and the number of the signal. Null: nobody knows, or not yet. */
export function exitStatus({ exit_code, signal }: Pick<Session, "exit_code" | "signal">): number | null {
  return exit_code ?? (signal === null ? null : SIGNALED + signalNumber(signal));
}
