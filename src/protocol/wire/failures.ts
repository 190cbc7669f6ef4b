import type { FinalReason } from "../types/session.ts";

/** Why a session ends that neither ended by itself nor was asked to. */
const FAILURES: readonly FinalReason[] = ["timeout", "idle_timeout", "limit_exceeded", "spawn_failed", "holder_lost"];

export function isFailure(reason: FinalReason | null): boolean {
  return reason !== null && FAILURES.includes(reason);
}
