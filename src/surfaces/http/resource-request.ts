/** A request to a REST resource: its grant, parameters, and calls in its caller's name. */
import { singleCallOrigin } from "../jsonrpc/calls.ts";
import type { HttpBackend, Grant } from "./backend.ts";
import { limitToScope } from "./scope.ts";

export interface ResourceRequest {
  readonly backend: HttpBackend;
  readonly grant: Grant;
  readonly body: Record<string, unknown>;
  readonly query: URLSearchParams;
  /** Path parameters, by the names in the route. */
  readonly path: Readonly<Record<string, string>>;
  call(method: string, params: object): Promise<Record<string, unknown>>;
}

export interface ResourceRequestParts {
  backend: HttpBackend;
  grant: Grant;
  body: Record<string, unknown>;
  query: URLSearchParams;
  path: Record<string, string>;
  /** Fires when the client disconnects or its key ends. */
  signal: AbortSignal;
  /** The request's correlation id, for all calls that it makes. */
  correlationId: string;
  /** The caller's label for the audit. */
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
  const origin = singleCallOrigin(signal, correlationId);
  return {
    backend,
    grant,
    body,
    query,
    path,
    async call(method, params) {
      return (await methods.call(method, params, origin)) as Record<string, unknown>;
    },
  };
}
