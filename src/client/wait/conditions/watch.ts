import { watchInput } from "./input.ts";
import { watchMatch } from "./match.ts";
import { watchPort } from "./port.ts";
import { watchPrompt } from "./prompt.ts";
import { watchScreen } from "./screen.ts";
import type { Condition, WatchContext, Watcher } from "./condition.ts";

/** What matches is looked for before the same bytes are taken for mere output. */
const ORDER: readonly Condition["kind"][] = ["match", "screen", "prompt", "input", "port", "idle", "output", "exit"];

export function watchAll(until: readonly Condition[], context: WatchContext): Watcher[] {
  const ordered = until.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return ordered.flatMap((condition) => watch(condition, context) ?? []);
}

/** Null for the end, which every wait hears of. */
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
  const quiet = (): ReturnType<typeof setTimeout> => setTimeout(() => meet({ outcome: "idle" }), ms);
  let timer = quiet();
  return {
    take() {
      clearTimeout(timer);
      timer = quiet();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}
