/**
 * Wraps the SDK's transport with what the SDK does not do: it waits for running requests at the end
 * of input, registers resource subscriptions of the newer protocol era, and resolves aliases of
 * tools.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { CorrelationIds } from "../../protocol/wire/correlation-id.ts";
import { withCorrelationId } from "./error-correlation.ts";
import type { ResourceWatcher } from "./resource-watcher.ts";
import type { Toolset } from "./toolsets/toolset.ts";

const LISTEN = "subscriptions/listen";
const CANCELLED = "notifications/cancelled";
/** Tools that wait are not waited for at the end of input. */
const WAIT_TOOL = /(?:^|_)wait(?:_|$)/;

export interface McpTransportOptions {
  inner: Transport;
  watcher: ResourceWatcher;
  aliases: NonNullable<Toolset["aliases"]>;
  /** Called with each protocol error. */
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
    const handlers: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message, extra) => this.onmessage?.(this.#received(message), extra),
    };
    Object.assign(this.#inner, handlers);
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    await this.#inner.send(withCorrelationId(message, this.correlationId(id), this.#refused));
    if (id !== undefined) this.#settle(id);
  }

  /** The correlation id of an unanswered request; otherwise a new one. */
  correlationId(id: Id | undefined): string {
    return (id === undefined ? undefined : this.#correlationIds.get(id)) ?? this.#ids.next();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Resolves when all requests except waits are answered, after `ms` at the latest. */
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
    const uris = wanted.filter((uri) => typeof uri === "string");
    this.#listening.set(id, uris);
    for (const uri of uris) this.#watcher.add(uri, id);
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

/** Yields the lines, and ends only when their requests are answered. */
export async function* answeredBeforeEnd(
  lines: AsyncIterable<Buffer>,
  answered: () => Promise<void>,
): AsyncGenerator<Buffer, void> {
  yield* lines;
  await answered();
}

/** Replaces a call by an alias with a call of the tool itself. */
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
