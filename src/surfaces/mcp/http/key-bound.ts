/** Ends with a key the requests that it opened: streams are closed, calls are given up. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { unauthorized } from "../../http/envelope.ts";
import type { House, Opened } from "../../http/backend.ts";
import { Tenure } from "../../websocket/token-lifetime.ts";
import { lasting } from "./lasting.ts";

/** An answer, and what is to be done when nothing more of it is sent. */
export interface Lasting {
  response: Response;
  over: () => void;
}

export async function whileKeyIsGood(
  { house, opened }: { house: House; opened: Opened },
  request: Request,
  work: (signal: AbortSignal) => Promise<Lasting>,
): Promise<Response> {
  const ended = new AbortController();
  const tenure = new Tenure(house, opened, () => ended.abort());
  const signal = AbortSignal.any([request.signal, ended.signal]);
  try {
    const { response, over } = await Promise.race([work(signal), rejectedBy(ended.signal)]);
    return lasting(response, signal, () => {
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
function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => reject(new HoltError("ECANCELED", "the key has ended"));
  if (signal.aborted) give();
  else signal.addEventListener("abort", give, { once: true });
  promise.catch(() => {}); // it may fire when the answer is under way
  return promise;
}
