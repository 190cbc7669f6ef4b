/**
 * An MCP client of the older protocol era over HTTP, identified by its Mcp-Session-Id. Keeps what
 * outlives a request: owned sessions, calls that another request may cancel, and subscriptions.
 */
import { EventStream } from "./event-stream.ts";
import { Ownership } from "../ownership.ts";
import type { ResourceWatcher } from "../resource-watcher.ts";

const CANCELLED = "notifications/cancelled";
/** Beyond this, the oldest calls can be canceled only by closing their requests. */
const MAX_CALLS = 1000;
const MAX_SUBSCRIPTIONS = 256;

type Message = Readonly<Record<string, unknown>>;

export interface ReceivedRequest {
  signal: AbortSignal;
  /** Must be called after the answer: until then the call can be canceled. */
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

  /** Registers a request. The returned signal also fires when another request cancels the call. */
  received({ id, method, params }: Message, signal: AbortSignal): ReceivedRequest {
    if (method === CANCELLED) this.#calls.get((params as Message | undefined)?.["requestId"])?.abort();
    if (id === undefined) return { signal, onDone() {} };
    const canceled = new AbortController();
    this.#calls.set(id, canceled);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(oldest);
    const onDone = (): void => {
      if (this.#calls.get(id) === canceled) this.#calls.delete(id);
    };
    return { signal: AbortSignal.any([signal, canceled.signal]), onDone };
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

  /**
   * Opens the event stream. It replaces an earlier one, whose connection may be lost. Resources are
   * watched only while a stream is open.
   */
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
    if (this.#subscribed.has(uri)) this.#stream?.notify("notifications/resources/updated", { uri });
  }

  listChanged(): void {
    this.#stream?.notify("notifications/resources/list_changed");
  }

  [Symbol.dispose](): void {
    this.#stream?.[Symbol.dispose]();
  }
}
