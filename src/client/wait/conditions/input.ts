import { callHolder } from "../../holder/holder-call.ts";
import type { WatchContext, Watcher } from "./condition.ts";
import { Looks } from "./checks.ts";

/** Also when it waited before anybody asked. */
export function watchInput(context: WatchContext): Watcher {
  const looks = new Looks(context, async () => {
    const state = await callHolder(context.sessions.get(context.id), "input_state", {});
    if (state.waiting !== null) context.meet({ outcome: "input", reason: state.waiting, evidence: state.evidence });
    return state.settles_in_ms;
  });
  return { take: () => looks.soon(), [Symbol.dispose]: () => looks[Symbol.dispose]() };
}
