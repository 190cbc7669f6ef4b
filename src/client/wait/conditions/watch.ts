/** Maps the conditions of a wait to watchers. All but `match` and `screen` are here. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { callHolder } from "../../holder/holder-call.ts";
import { PeriodicCheck } from "./periodic-check.ts";
import { watchMatch } from "./match.ts";
import { watchScreen } from "./screen.ts";
import type { Condition, WatchContext, Watcher } from "./condition.ts";

/** A match is checked before the same bytes count as output. */
const ORDER: readonly Condition["kind"][] = ["match", "screen", "prompt", "input", "port", "idle", "output", "exit"];

export function watchAll(until: readonly Condition[], context: WatchContext): Watcher[] {
  const ordered = until.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return ordered.flatMap((condition) => watch(condition, context) ?? []);
}

/** Null for the end, which every wait detects. */
function watch(condition: Condition, context: WatchContext): Watcher | null {
  switch (condition.kind) {
    case "exit":
      return null;
    case "output":
      return watchOutput(context);
    case "idle":
      return watchIdle(context, condition.ms);
    case "match":
      return watchMatch(context, condition.pattern);
    case "screen":
      return watchScreen(context, condition.pattern);
    case "input":
      return watchInput(context);
    case "prompt":
      return watchPrompt(context);
    case "port":
      return watchPort(context, condition.port);
  }
}

function watchOutput({ meet }: WatchContext): Watcher {
  return {
    take: () => meet({ outcome: "data" }),
    [Symbol.dispose]() {},
  };
}

function watchIdle({ meet }: WatchContext, ms: number): Watcher {
  const startTimer = (): ReturnType<typeof setTimeout> => setTimeout(() => meet({ outcome: "idle" }), ms);
  let timer = startTimer();
  return {
    take() {
      clearTimeout(timer);
      timer = startTimer();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}

/** Also met if the program waited for input before the call. */
function watchInput(context: WatchContext): Watcher {
  const check = new PeriodicCheck(context, async () => {
    const state = await callHolder(context.sessions.get(context.id), "input_state", {});
    if (state.waiting !== null) context.meet({ outcome: "input", reason: state.waiting, evidence: state.evidence });
    return state.settles_in_ms;
  });
  return { take: () => check.checkSoon(), [Symbol.dispose]: () => check[Symbol.dispose]() };
}

/** Also met by a port that was open before the call. */
function watchPort(context: WatchContext, port: number | null): Watcher {
  return new PeriodicCheck(context, async () => {
    const { ports } = await callHolder(context.sessions.get(context.id), "ports", {});
    const found = ports.find((candidate) => port === null || candidate.port === port);
    if (found !== undefined) context.meet({ outcome: "port", port: found.port, address: found.address });
    return null;
  });
}

/** The length of one call: a holder bounds how long a call may wait. */
const PROMPT_CALL_MS = 60_000;
const PROMPT_MARGIN_MS = 10_000;
const PROMPT_RETRY_MS = 50;
const MAX_PROMPT_FAILURES = 5;

/**
 * Also met by a prompt that was there before the call. The holder answers when it is: no polling.
 */
function watchPrompt({ sessions, id, meet, fail }: WatchContext): Watcher {
  const stop = new AbortController();
  void waitForPrompt().catch(fail);
  return { [Symbol.dispose]: () => stop.abort() };

  async function waitForPrompt(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; ) {
      try {
        const options = { answerMs: PROMPT_CALL_MS + PROMPT_MARGIN_MS, signal: stop.signal };
        const answer = await callHolder(sessions.get(id), "until_prompt", { timeout_ms: PROMPT_CALL_MS }, options);
        if (answer.at_prompt) return meet({ outcome: "prompt" });
        failures = 0;
      } catch (error) {
        // The wait detects the session's end itself, and a holder that cannot be reached may be
        // ending.
        const isPassing = error instanceof HoltError && (error.code === "ESESSIONCLOSED" || error.code === "EIO");
        if (!stop.signal.aborted && (!isPassing || ++failures >= MAX_PROMPT_FAILURES)) throw error;
        await Bun.sleep(PROMPT_RETRY_MS);
      }
    }
  }
}
