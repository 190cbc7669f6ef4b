/**
 * The connection as the SDK sees it, with what the SDK leaves to nobody: which requests are still to be answered (at the end of the input, they are first),
 * which resources a client of the newer era listens to, and tools under other names.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { CorrelationIds } from "../../protocol/wire/correlation-id.ts";
import { withCorrelationId } from "./error-correlation.ts";
import type { ResourceWatcher } from "./resource-watcher.ts";
import type { Toolset } from "./toolsets/toolset.ts";

const LISTEN = "subscriptions/listen";
const CANCELLED = "notifications/cancelled";
/** Nobody who has closed his end waits for these. */
const WAIT_TOOL = /(?:^|_)wait(?:_|$)/;

export interface McpTransportOptions {
  inner: Transport;
  watcher: ResourceWatcher;
  aliases: NonNullable<Toolset["aliases"]>;
  /** Told of errors of the protocol. */
  refused: (error: { correlation_id: string; code: number }) => void;
}

type Id = string | number;
type Received = Parameters<NonNullable<Transport["onmessage"]>>;

export class McpTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #inner: Transport;
  readonly #watcher: ResourceWatcher;
  readonly #aliases: McpTransportOptions["aliases"];
  readonly #refused: McpTransportOptions["refused"];
  readonly #ids = new CorrelationIds();
  readonly #correlationIds = new Map<Id, string>();
  readonly #unanswered = new Set<Id>();
  readonly #listening = new Map<Id, string[]>();
  #whenAnswered: () => void = () => {};

  constructor({ inner, watcher, aliases, refused }: McpTransportOptions) {
    this.#refused = refused;
    this.#inner = inner;
    this.#watcher = watcher;
    this.#aliases = aliases;
  }

  start(): Promise<void> {
    const heard: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message, extra) => this.onmessage?.(this.#received(message), extra),
    };
    Object.assign(this.#inner, heard);
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    await this.#inner.send(withCorrelationId(message, this.correlationId(id), this.#refused));
    if (id !== undefined) this.#settle(id);
  }

  /** The id of a request that is not answered yet; else a new one. */
  correlationId(id: Id | undefined): string {
    return (id === undefined ? undefined : this.#correlationIds.get(id)) ?? this.#ids.next();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Returns when every request was answered that is not one to wait; after `ms` at the latest. */
  async allAnswered(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#unanswered.size === 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenAnswered = resolve;
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }

  #received(message: Received[0]): Received[0] {
    if (!("method" in message)) return message;
    const params = (message.params ?? {}) as Record<string, unknown>;
    if (!("id" in message)) {
      if (message.method === CANCELLED) this.#canceled(params["requestId"] as Id);
      return message;
    }
    this.#correlationIds.set(message.id, this.#ids.next());
    if (message.method === LISTEN) {
      this.#listen(message.id, params);
      return message;
    }
    if (message.method !== "tools/call" || !WAIT_TOOL.test(String(params["name"]))) this.#unanswered.add(message.id);
    return message.method === "tools/call" ? { ...message, params: resolveAlias(params, this.#aliases) } : message;
  }

  #listen(id: Id, params: Record<string, unknown>): void {
    const { resourceSubscriptions } = (params["notifications"] ?? {}) as { resourceSubscriptions?: unknown };
    const wanted = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
    const watcher = wanted.filter((uri) => typeof uri === "string");
    this.#listening.set(id, watcher);
    for (const uri of watcher) this.#watcher.add(uri, id);
  }

  #canceled(id: Id): void {
    this.#settle(id); // the SDK answers no canceled request
    for (const uri of this.#listening.get(id) ?? []) this.#watcher.remove(uri, id);
    this.#listening.delete(id);
  }

  #settle(id: Id): void {
    this.#unanswered.delete(id);
    this.#correlationIds.delete(id);
    if (this.#unanswered.size === 0) this.#whenAnswered();
  }
}

/** The lines, and an end that comes when what they asked for was answered. */
export async function* answeredBeforeEnd(
  lines: AsyncIterable<Buffer>,
  answered: () => Promise<void>,
): AsyncGenerator<Buffer, void> {
  yield* lines;
  await answered();
}

/** The parameters of a call; one by another name of a tool becomes that tool's own call. */
export function resolveAlias(
  params: Record<string, unknown>,
  aliases: NonNullable<Toolset["aliases"]>,
): Record<string, unknown> {
  const { name, arguments: given } = params;
  const alias = typeof name === "string" && Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias === undefined) return params;
  const isObject = typeof given === "object" && given !== null;
  return { ...params, ...alias(isObject ? { ...given } : {}) };
}
