/**
 * X-Request-Id: the correlation id of a request, the client's own or a new one, on every response.
 */
import { ownCorrelationId } from "../../protocol/wire/correlation-id.ts";
import type { HttpBackend } from "./backend.ts";

export const REQUEST_ID = "x-request-id";

export function requestIdOf({ headers }: Request, backend: HttpBackend): string {
  return ownCorrelationId(headers.get(REQUEST_ID)) ?? backend.newCorrelationId();
}

export function withRequestId(response: Response, id: string): Response {
  response.headers.set(REQUEST_ID, id);
  return response;
}
