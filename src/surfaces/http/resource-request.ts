/** One request, as far as whoever answers it needs it. */
import { singleCallOrigin } from "../jsonrpc/calls.ts";
import type { HttpBackend, Grant } from "./backend.ts";
import { limitToScope } from "./scope.ts";

export interface ResourceRequest {
  readonly backend: HttpBackend;
  readonly grant: Grant;
  readonly body: Record<string, unknown>;
  readonly query: URLSearchParams;
  /** Of the path, by the names of the route. */
  readonly path: Readonly<Record<string, string>>;
  call(method: string, params: object): Promise<Record<string, unknown>>;
}

export interface ResourceRequestParts {
  backend: HttpBackend;
  grant: Grant;
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

export function resourceRequest({
  backend,
  grant,
  body,
  query,
  path,
  signal,
  correlationId,
  from,
}: ResourceRequestParts): ResourceRequest {
  const methods = limitToScope(backend.methodsFor(grant, from), grant.scope);
  const asking = singleCallOrigin(signal, correlationId);
  return {
    backend,
    grant,
    body,
    query,
    path,
    async call(method, params) {
      return (await methods.call(method, params, asking)) as Record<string, unknown>;
    },
  };
}
