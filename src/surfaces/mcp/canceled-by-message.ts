/**
 * A client of the older era gives a call up by a message of its own, in another request: which client that is says the session id that it was given when it came.
 * (One of the newer era closes the request.)
 */
import type { Opened } from "../http/house.ts";

const SESSION = "mcp-session-id";
const CANCELLED = "notifications/cancelled";
/** Of calls that may still be given up; past it, those of longest ago can only be by closing their request. */
const MOST = 1000;

type Message = Readonly<Record<string, unknown>>;

interface Heard {
  headers: Headers;
  message: Message;
  opened: Opened;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
}

export class CanceledByMessage {
  readonly #calls = new Map<string, AbortController>();

  /** The request's signal as it goes on: one that fires also when it is given up. */
  heard({ headers, message, opened: { token_id }, signal }: Heard): AbortSignal {
    const client = headers.get(SESSION);
    const { id, method, params } = message;
    if (client === null) return signal;
    const keyOf = (of: unknown): string => JSON.stringify([token_id, client, of]);
    if (method === CANCELLED) this.#calls.get(keyOf((params as Message | undefined)?.["requestId"]))?.abort();
    if (id === undefined) return signal;
    const given = new AbortController();
    this.#calls.set(keyOf(id), given);
    this.#forgetOldest();
    return AbortSignal.any([signal, given.signal]);
  }

  /** Whoever comes is told who he is. */
  welcome({ method }: Message, response: Response): Response {
    if (method === "initialize" && response.ok) response.headers.set(SESSION, crypto.randomUUID());
    return response;
  }

  #forgetOldest(): void {
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST && oldest !== undefined) this.#calls.delete(oldest);
  }
}
