/**
 * Lists the attached clients of all sessions: calls the holders concurrently, under one deadline.
 */
import type { AttachedClientInfo } from "../../protocol/wire/attach.ts";
import type { Session } from "../../protocol/types/session.ts";
import { deadlineAfter } from "../deadline.ts";
import { callOnce } from "../holder/holder-call.ts";

const TOTAL_MS = 1000;
const ANSWER_MS = 500;
const MAX_CONCURRENT = 32;
const NEVER = new AbortController().signal;

export interface AttachedClients {
  clients: AttachedClientInfo[];
  /** The number of holders that did not answer in time, or were not called. */
  unanswered: number;
}

/** Skips sessions without a terminal, which have no attached clients. */
export async function listAttachedClients(living: readonly Session[]): Promise<AttachedClients> {
  using deadline = deadlineAfter(TOTAL_MS, NEVER);
  const { signal } = deadline;
  const candidates = living.filter(({ transport_mode, state }) => transport_mode !== "pipe" && state === "running");
  const clients: AttachedClientInfo[] = [];
  let [next, answered] = [0, 0];
  const ask = async (): Promise<void> => {
    for (let session = candidates[next++]; session !== undefined && !signal.aborted; session = candidates[next++]) {
      try {
        clients.push(...(await callOnce(session, "clients", {}, { answerMs: ANSWER_MS, signal })).clients);
        answered++;
      } catch {
        // the session ended, or its holder is silent
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, ask));
  return { clients, unanswered: candidates.length - answered };
}
