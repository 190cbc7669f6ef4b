/** An abort signal with a time limit. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with the caller's signal or after `ms`. Disposing it clears the timer and the listener.
 */
export function deadlineAfter(ms: number, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller.removeEventListener("abort", abort);
    },
  };
}
