/** An answer that goes on for as long as it may: a stream ends with the signal, whoever else has yet to hear of it. */
const STREAM = "text/event-stream";

export function isStream(response: Response): boolean {
  return response.body !== null && response.headers.get("content-type")?.startsWith(STREAM) === true;
}

/** `over` is called once, when nothing more is said, for whatever reason: at its end, when nobody listens any more, or with the signal. */
export function endWithSignal(response: Response, signal: AbortSignal, over: () => void): Response {
  if (response.body === null || !isStream(response)) {
    over();
    return response;
  }
  const reader = response.body.getReader();
  let isOver = false;
  let end = (): void => {};
  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    // The runtime keeps a signal made of several, and all that its listeners know, for as long as it has one.
    signal.removeEventListener("abort", end);
    over();
    return true;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      end = (): void => {
        if (!finish()) return;
        controller.close();
        void reader.cancel().catch(() => {});
      };
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (isOver) return;
      if (!done && value !== undefined) controller.enqueue(value);
      else if (finish()) controller.close();
    },
    async cancel(reason) {
      finish();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
