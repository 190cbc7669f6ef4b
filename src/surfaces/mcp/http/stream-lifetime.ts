/** Ends a streaming response with a signal. */
const STREAM = "text/event-stream";

export function isStream(response: Response): boolean {
  return response.body !== null && response.headers.get("content-type")?.startsWith(STREAM) === true;
}

/**
 * `onEnd` is called once after the last byte, for any reason: the end of the stream, a disconnect or
 * the signal.
 */
export function endWithSignal(response: Response, signal: AbortSignal, onEnd: () => void): Response {
  if (response.body === null || !isStream(response)) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  let isEnded = false;
  let end = (): void => {};
  const finish = (): boolean => {
    if (isEnded) return false;
    isEnded = true;
    // Bun keeps a combined signal, and all that its listeners reference, for as long as it has a
    // listener.
    signal.removeEventListener("abort", end);
    onEnd();
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
      if (isEnded) return;
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
