/**
 * Waits for a daemon that has not answered yet: as long as it uses processor time (hundreds of
 * starts at once). It gives up on a stopped or hanging daemon, since a session can start without
 * it.
 */
import { processStatus } from "../../platform/process/processes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import type { Method } from "../../protocol/methods/table.schema.ts";
import type { Layout } from "../../transcript/layout.ts";
import { daemonProcess } from "./end-daemon.ts";
import type { QuickAnswer, PendingAnswer } from "./quick-call.ts";

/** Time without an answer and without processor time used. */
const HUNG_MS = 1750;
const STEP_MS = 250;
const MAX_MS = 10_000;

/** The answer, or `lost` after a call of `onGiveUp` with the reason. */
export function waitWhileBusy<M extends Method>(
  layout: Layout,
  pending: PendingAnswer<M>,
  onGiveUp: (why: HoltError) => void,
): QuickAnswer<M> {
  const daemon = daemonProcess(layout);
  const began = performance.now();
  let workedAt = began;
  let answer: QuickAnswer<M> | PendingAnswer<M> = pending;
  for (let ticks = ticksOf(daemon); answer.kind === "silent"; answer = answer.wait(STEP_MS)) {
    const now = performance.now();
    const ticksNow = ticksOf(daemon);
    if (ticksNow !== ticks) workedAt = now;
    ticks = ticksNow;
    if (!isStopped(daemon) && now - workedAt < HUNG_MS && now - began < MAX_MS) continue;
    answer.hangUp();
    onGiveUp(silentDaemon(daemon));
    return { kind: "lost" };
  }
  return answer;
}

function ticksOf(daemon: ProcessIdentity | null): number | null {
  return daemon === null ? null : (processStatus(daemon.pid)?.cpuTicks ?? null);
}

function isStopped(daemon: ProcessIdentity | null): boolean {
  return daemon !== null && /^[Tt]$/.test(processStatus(daemon.pid)?.state ?? "");
}

function silentDaemon(daemon: ProcessIdentity | null): HoltError {
  const subject = daemon === null ? "the daemon" : `the daemon, pid ${daemon.pid},`;
  const why = isStopped(daemon) ? "is stopped" : "does not answer";
  const continueHint = isStopped(daemon) && daemon !== null ? `\`kill -CONT ${daemon.pid}\` continues it, ` : "";
  return new HoltError("ETIMEOUT", `${subject} ${why}: the session was started without it`, {
    hint: `${continueHint}\`holt daemon restart\` replaces it; sessions keep running`,
  });
}
