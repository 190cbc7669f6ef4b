/** Whether something is printed at all. */
import type { WatchContext, Watcher } from "./condition.ts";

export function watchOutput({ meet }: WatchContext): Watcher {
  return {
    take: () => meet({ outcome: "data" }),
    [Symbol.dispose]() {},
  };
}

export function watchIdle({ meet }: WatchContext, ms: number): Watcher {
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
