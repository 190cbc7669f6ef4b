/** Ends with a key the requests that it opened: streams are closed, calls are given up. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { unauthorized } from "../../http/responses.ts";
import type { HttpBackend, Grant } from "../../http/backend.ts";
import { TokenLifetime } from "../../websocket/token-lifetime.ts";
import { endWithSignal } from "./stream-lifetime.ts";

/** An answer, and what is to be done when nothing more of it is sent. */
export interface PendingResponse {
  response: Response;
  onDone: () => void;
}

export async function whileKeyIsValid(
  { backend, grant }: { backend: HttpBackend; grant: Grant },
  request: Request,
  work: (signal: AbortSignal) => Promise<PendingResponse>,
): Promise<Response> {
  const ended = new AbortController();
  const tenure = new TokenLifetime(backend, grant, () => ended.abort());
  const signal = AbortSignal.any([request.signal, ended.signal]);
  try {
    const { response, onDone: over } = await Promise.race([work(signal), rejectOn(ended.signal)]);
    return endWithSignal(response, signal, () => {
      tenure[Symbol.dispose]();
      over();
    });
  } catch (error) {
    tenure[Symbol.dispose]();
    if (ended.signal.aborted) return unauthorized();
    throw error;
  }
}

/** Whatever does not look at its signal is still given up. */
function rejectOn(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => reject(new HoltError("ECANCELED", "the key has ended"));
  if (signal.aborted) give();
  else signal.addEventListener("abort", give, { once: true });
  promise.catch(() => {}); // it may fire when the answer is under way
  return promise;
}
