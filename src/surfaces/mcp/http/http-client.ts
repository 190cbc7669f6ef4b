/**
 * A client of the older era over HTTP. Each of its requests shows the Mcp-Session-Id that it was given when it came, so what outlives a request is kept
 * here: its sessions, its calls, which another request may cancel, and its subscriptions.
 */
import { NewsStream } from "./news-stream.ts";
import { Ownership } from "../ownership.ts";
import type { SessionUris } from "../session-uris.ts";

const CANCELLED = "notifications/cancelled";
/** Past these, the oldest calls are canceled only by closing their requests. */
const MAX_CALLS = 1000;
const MAX_SUBSCRIPTIONS = 256;

type Message = Readonly<Record<string, unknown>>;

export interface Received {
  signal: AbortSignal;
  /** To be called once it is answered: what its signal knows of is kept until then. */
  over: () => void;
}

export class HttpClient implements Disposable {
  readonly id = crypto.randomUUID();
  readonly ownership = new Ownership();
  readonly uris: SessionUris;
  readonly #calls = new Map<unknown, AbortController>();
  readonly #subscribed = new Set<string>();
  #stream: NewsStream | null = null;

  constructor(uris: SessionUris) {
    this.uris = uris;
  }

  /** A request as it goes on. Its signal fires also when its call is canceled by another request. */
  received({ id, method, params }: Message, signal: AbortSignal): Received {
    if (method === CANCELLED) this.#calls.get((params as Message | undefined)?.["requestId"])?.abort();
    if (id === undefined) return { signal, over() {} };
    const canceled = new AbortController();
    this.#calls.set(id, canceled);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(oldest);
    const over = (): void => {
      if (this.#calls.get(id) === canceled) this.#calls.delete(id);
    };
    return { signal: AbortSignal.any([signal, canceled.signal]), over };
  }

  add(uri: string): void {
    if (this.#subscribed.size >= MAX_SUBSCRIPTIONS) return;
    this.#subscribed.add(uri);
    if (this.#stream !== null) this.uris.add(uri, this.id);
  }

  remove(uri: string): void {
    this.#subscribed.delete(uri);
    this.uris.remove(uri, this.id);
  }

  /** A later stream takes the place of an earlier one, whose connection may be lost. Resources are followed while there is one. */
  listen(): Response {
    this.#stream?.[Symbol.dispose]();
    for (const uri of this.#subscribed) this.uris.add(uri, this.id);
    const stream = new NewsStream(() => {
      if (this.#stream !== stream) return;
      this.#stream = null;
      for (const uri of this.#subscribed) this.uris.remove(uri, this.id);
    });
    this.#stream = stream;
    return stream.response();
  }

  updated(uri: string): void {
    if (this.#subscribed.has(uri)) this.#stream?.tell("notifications/resources/updated", { uri });
  }

  listChanged(): void {
    this.#stream?.tell("notifications/resources/list_changed");
  }

  [Symbol.dispose](): void {
    this.#stream?.[Symbol.dispose]();
  }
}
