/** The condition `prompt`: the session's shell is at its prompt. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { callHolder } from "../../holder/holder-call.ts";
import type { WatchContext, Watcher } from "./condition.ts";

/** The length of one call: a holder bounds how long a call may wait. */
const CALL_MS = 60_000;
const MARGIN_MS = 10_000;
const RETRY_MS = 50;
const MAX_FAILURES = 5;

/**
 * Also met by a prompt that was there before the call. The holder answers when it is: no polling.
 */
export function watchPrompt({ sessions, id, meet, fail }: WatchContext): Watcher {
  const stop = new AbortController();
  void waitForPrompt().catch(fail);
  return { [Symbol.dispose]: () => stop.abort() };

  async function waitForPrompt(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; ) {
      try {
        const options = { answerMs: CALL_MS + MARGIN_MS, signal: stop.signal };
        const answer = await callHolder(sessions.get(id), "until_prompt", { timeout_ms: CALL_MS }, options);
        if (answer.at_prompt) return meet({ outcome: "prompt" });
        failures = 0;
      } catch (error) {
        // The wait detects the session's end itself, and a holder that cannot be reached may be
        // ending.
        const isPassing = error instanceof HoltError && (error.code === "ESESSIONCLOSED" || error.code === "EIO");
        if (!stop.signal.aborted && (!isPassing || ++failures >= MAX_FAILURES)) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }
}
