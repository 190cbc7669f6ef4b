/** Ends requests when their key ends: closes streams and cancels calls. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { unauthorized } from "../../http/responses.ts";
import type { HttpBackend, Grant } from "../../http/backend.ts";
import { TokenLifetime } from "../../websocket/token-lifetime.ts";
import { endWithSignal } from "./stream-lifetime.ts";

/** A response, and what to do after its last byte. */
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

/** Rejects when the signal fires, so that work which ignores the signal is also abandoned. */
function rejectOn(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => reject(new HoltError("ECANCELED", "the key has expired"));
  if (signal.aborted) give();
  else signal.addEventListener("abort", give, { once: true });
  promise.catch(() => {}); // it may fire after the answer
  return promise;
}
