/**
 * A client of the older era over HTTP. Each of its requests shows the Mcp-Session-Id that it was given when it came, so what outlives a request is kept
 * here: its sessions, its calls, which another request may cancel, and its subscriptions.
 */
import { EventStream } from "./event-stream.ts";
import { Ownership } from "../ownership.ts";
import type { ResourceWatcher } from "../resource-watcher.ts";

const CANCELLED = "notifications/cancelled";
/** Past these, the oldest calls are canceled only by closing their requests. */
const MAX_CALLS = 1000;
const MAX_SUBSCRIPTIONS = 256;

type Message = Readonly<Record<string, unknown>>;

export interface ReceivedRequest {
  signal: AbortSignal;
  /** To be called once it is answered: what its signal knows of is kept until then. */
  onDone: () => void;
}

export class HttpClient implements Disposable {
  readonly id = crypto.randomUUID();
  readonly ownership = new Ownership();
  readonly watcher: ResourceWatcher;
  readonly #calls = new Map<unknown, AbortController>();
  readonly #subscribed = new Set<string>();
  #stream: EventStream | null = null;

  constructor(watcher: ResourceWatcher) {
    this.watcher = watcher;
  }

  /** A request as it goes on. Its signal fires also when its call is canceled by another request. */
  received({ id, method, params }: Message, signal: AbortSignal): ReceivedRequest {
    if (method === CANCELLED) this.#calls.get((params as Message | undefined)?.["requestId"])?.abort();
    if (id === undefined) return { signal, onDone() {} };
    const canceled = new AbortController();
    this.#calls.set(id, canceled);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(oldest);
    const over = (): void => {
      if (this.#calls.get(id) === canceled) this.#calls.delete(id);
    };
    return { signal: AbortSignal.any([signal, canceled.signal]), onDone: over };
  }

  add(uri: string): void {
    if (this.#subscribed.size >= MAX_SUBSCRIPTIONS) return;
    this.#subscribed.add(uri);
    if (this.#stream !== null) this.watcher.add(uri, this.id);
  }

  remove(uri: string): void {
    this.#subscribed.delete(uri);
    this.watcher.remove(uri, this.id);
  }

  /** A later stream takes the place of an earlier one, whose connection may be lost. Resources are followed while there is one. */
  listen(): Response {
    this.#stream?.[Symbol.dispose]();
    for (const uri of this.#subscribed) this.watcher.add(uri, this.id);
    const stream = new EventStream(() => {
      if (this.#stream !== stream) return;
      this.#stream = null;
      for (const uri of this.#subscribed) this.watcher.remove(uri, this.id);
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
