/** Who is attached, wherever: all holders are asked, some at a time, under one deadline. One that does not answer keeps nobody waiting. */
import type { AttachedClientInfo } from "../../protocol/wire/attach.ts";
import type { Session } from "../../protocol/types/session.ts";
import { deadlineAfter } from "../deadline.ts";
import { callOnce } from "../holder/holder-call.ts";

const ALL_MS = 1000;
const ONE_MS = 500;
const AT_ONCE = 32;
const NEVER = new AbortController().signal;

export interface Everybody {
  clients: AttachedClientInfo[];
  /** Holders that did not answer in time, or were not come to. */
  silent: number;
}

/** Of sessions on a terminal: nobody can be attached to others. */
export async function everybodyAttached(living: readonly Session[]): Promise<Everybody> {
  using deadline = deadlineAfter(ALL_MS, NEVER);
  const { signal } = deadline;
  const asked = living.filter(({ transport_mode, state }) => transport_mode !== "pipe" && state === "running");
  const clients: AttachedClientInfo[] = [];
  let [next, answered] = [0, 0];
  const ask = async (): Promise<void> => {
    for (let session = asked[next++]; session !== undefined && !signal.aborted; session = asked[next++]) {
      try {
        clients.push(...(await callOnce(session, "clients", {}, { answerMs: ONE_MS, signal })).clients);
        answered++;
      } catch {
        // it has ended meanwhile, or is silent
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return { clients, silent: asked.length - answered };
}
