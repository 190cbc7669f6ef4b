/** Maps the conditions of a wait to watchers. The short ones are here. */
import { callHolder } from "../../holder/holder-call.ts";
import { PeriodicCheck } from "./periodic-check.ts";
import { watchMatch } from "./match.ts";
import { watchPrompt } from "./prompt.ts";
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
