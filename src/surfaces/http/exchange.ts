/** One request, as far as whoever answers it needs it. */
import { askingOnce } from "../jsonrpc/calls.ts";
import type { House, Opened } from "./backend.ts";
import { scoped } from "./scope.ts";

export interface Exchange {
  readonly house: House;
  readonly opened: Opened;
  readonly body: Record<string, unknown>;
  readonly query: URLSearchParams;
  /** Of the path, by the names of the route. */
  readonly path: Readonly<Record<string, string>>;
  call(method: string, params: object): Promise<Record<string, unknown>>;
}

export interface ExchangeParts {
  house: House;
  opened: Opened;
  body: Record<string, unknown>;
  query: URLSearchParams;
  path: Record<string, string>;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
  /** The request's id, for all calls that it makes. */
  correlationId: string;
  /** Who asks, for the audit. */
  from: string;
}

export function exchangeOf({ house, opened, body, query, path, signal, correlationId, from }: ExchangeParts): Exchange {
  const methods = scoped(house.methods(opened, from), opened.scope);
  const asking = askingOnce(signal, correlationId);
  return {
    house,
    opened,
    body,
    query,
    path,
    async call(method, params) {
      return (await methods.call(method, params, asking)) as Record<string, unknown>;
    },
  };
}
