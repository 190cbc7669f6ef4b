/** Who is attached, wherever: all holders are asked, some at a time, under one deadline. One that does not answer keeps nobody waiting. */
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
  /** Holders that did not answer in time, or were not come to. */
  unanswered: number;
}

/** Of sessions on a terminal: nobody can be attached to others. */
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
        // it has ended meanwhile, or is silent
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, ask));
  return { clients, unanswered: candidates.length - answered };
}
