/**
 * HTTP entry point: checks a request, then routes it. The order is fixed, so that a refused client
 * learns nothing: Host and Origin (origin-guard.ts), the key, the rate of that key, the route, the
 * body.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { TokenLifetime } from "../websocket/token-lifetime.ts";
import { readJsonBody } from "./body.ts";
import {
  internalError,
  dataResponse,
  errorResponse,
  JSON_TYPE,
  invalidUrl,
  pathNotFound,
  safeHeaders,
  tooManyRequests,
  unauthorized,
  methodNotAllowed,
} from "./responses.ts";
import { resourceRequest } from "./resource-request.ts";
import type { OriginGuard } from "./origin-guard.ts";
import type { HttpBackend, Grant } from "./backend.ts";
import { metricsResponse } from "./metrics-response.ts";
import { openApi } from "./openapi.ts";
import type { PageFiles } from "./page-files.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { Refusals } from "./refusals.ts";
import { requestIdOf, withRequestId } from "./request-id.ts";
import { nearestPath, WEBSOCKET_ONLY, routeOf } from "./routes.ts";
import { isUpgrade, presentedKey } from "./request-token.ts";
import { type RoutedRequest, type Server, Upgrades, type IncomingRequest } from "./upgrades.ts";

/** Limits the body of a ticket call, which needs no key. */
const MAX_TICKET_BYTES = 1024;
const LOGGED_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 415]);
const UPGRADED = 101;

export interface SurfaceParts {
  backend: HttpBackend;
  guard: OriginGuard;
  page: PageFiles;
  /** Answers requests to /mcp. */
  mcp: (request: Request, grant: Grant, correlationId: string) => Promise<Response>;
}

export class HttpSurface {
  readonly #parts: SurfaceParts;
  readonly #rate: RateLimiter;
  readonly #refusals: Refusals;
  readonly #upgrades: Upgrades;

  constructor(parts: SurfaceParts) {
    this.#parts = parts;
    this.#rate = new RateLimiter(() => parts.backend.settings.rate);
    this.#refusals = new Refusals(parts.backend);
    this.#upgrades = new Upgrades(parts.backend, (routed) => this.#refusals.invalidKeyError(routed));
  }

  /** Undefined when the request became a WebSocket. */
  async answer(request: Request, server: Server): Promise<Response | undefined> {
    const from = server.requestIP(request)?.address ?? "unknown";
    const correlationId = requestIdOf(request, this.#parts.backend);
    const response = await this.#answer({ request, from, correlationId }, server);
    this.#parts.backend.log("debug", "http", { correlation_id: correlationId, status: response?.status ?? UPGRADED });
    return response === undefined ? undefined : withRequestId(response, correlationId);
  }

  async #answer(incoming: IncomingRequest, server: Server): Promise<Response | undefined> {
    const { request, correlationId } = incoming;
    const refusal = this.#parts.guard.refuse(request);
    if (refusal !== null) return this.#refusals.logged(incoming, errorResponse(refusal), refusal.message);
    const url = URL.parse(request.url);
    if (url === null) return this.#refusals.logged(incoming, invalidUrl(), "invalid URL");
    const { pathname, searchParams: query } = url;
    const route = routeOf(request.method, pathname);
    if (route?.kind === "health") return dataResponse({ status: "ok" });
    const page = route === null ? this.#parts.page.answer(request, pathname) : null;
    if (page !== null) return page;
    try {
      if (route?.kind === "session") return await this.#exchangeTicket(incoming);
      return await this.#authenticated({ ...incoming, server, route, query });
    } catch (error) {
      if (error instanceof HoltError) {
        const response = this.#errorResponse(error);
        return error.code === "EDENIED" ? this.#refusals.logged(incoming, response, error.message) : response;
      }
      this.#parts.backend.log("error", "http", { correlation_id: correlationId, path: pathname, error: String(error) });
      return internalError();
    }
  }

  async #authenticated(routed: RoutedRequest): Promise<Response | undefined> {
    const { request, route, query } = routed;
    const presented = presentedKey(request, route, query);
    // Without a key, a terminal's client sends one in its first message.
    if (presented === null && route?.kind === "attach" && isUpgrade(request))
      return this.#upgrades.answer(routed, null);
    if (presented === null) return this.#refusals.logged(routed, unauthorized("no key"), "no key");
    const { backend } = this.#parts;
    const found = backend.findKey(presented.secret);
    if (found === null) return this.#refusals.invalidKey(routed);
    if (presented.source === "url" && found.kind !== "ticket" && found.scope.kind === "owner")
      return this.#refusals.logged(routed, unauthorized(), "owner's key in the URL");
    if (!this.#rate.take(found.token_id)) return tooManyRequests();
    if (route === null) return pathNotFound(request, nearestPath);
    if (route.kind === "wrong_method") return methodNotAllowed(request.method, route.allowed);
    // A ticket is used up only now: a client that gets 429 retries with it.
    const use = (): Grant | null => backend.useKey(presented.secret);
    if (["attach", "stream", "rpc"].includes(route.kind))
      return this.#upgrades.answer(routed, { grant: found, use, source: presented.source });
    const grant = use();
    if (grant === null) return this.#refusals.invalidKey(routed);
    if (route.kind === "openapi")
      return new Response(openApi(), { headers: { ...safeHeaders(), "content-type": JSON_TYPE } });
    if (route.kind === "mcp") return this.#mcp(routed, grant);
    if (route.kind === "metrics") return this.#metrics(request, grant);
    return this.#callMethod(routed, grant);
  }

  /** A call may wait for a long time; it is canceled when its key ends. */
  async #callMethod(routed: RoutedRequest, grant: Grant): Promise<Response> {
    const { request } = routed;
    const body = await readJsonBody(request);
    if (body instanceof Response) return this.#refusals.logged(routed, body, "body refused");
    const ended = new AbortController();
    using _tokenLifetime = new TokenLifetime(this.#parts.backend, grant, () => ended.abort());
    try {
      return await this.#callOrResource(routed, grant, {
        body,
        signal: AbortSignal.any([request.signal, ended.signal]),
      });
    } catch (error) {
      if (ended.signal.aborted) return this.#refusals.logged(routed, unauthorized(), "key expired");
      throw error;
    }
  }

  async #callOrResource(
    { route, query, from, correlationId }: RoutedRequest,
    grant: Grant,
    { body, signal }: CallInput,
  ): Promise<Response> {
    const { backend } = this.#parts;
    const path = route?.kind === "resource" ? route.path : {};
    const call = resourceRequest({
      backend,
      grant,
      body,
      query,
      path,
      signal,
      correlationId,
      from: `http ${from}`,
    });
    if (route?.kind === "resource") return route.resource.answer(call);
    const method = route?.kind === "call" ? route.method : "";
    if (WEBSOCKET_ONLY.has(method))
      throw new HoltError("EBADARGS", `${method} needs a WebSocket`, {
        hint: "open a WebSocket at /api/v1/rpc, or at /api/v1/sessions/ID/stream",
      });
    return dataResponse(await call.call(method, body));
  }

  /** Exchanges a browser's ticket for a token. */
  async #exchangeTicket(incoming: IncomingRequest): Promise<Response> {
    const body = await readJsonBody(incoming.request, MAX_TICKET_BYTES);
    if (body instanceof Response) return this.#refusals.logged(incoming, body, "body refused");
    const { ticket } = body;
    const exchanged = typeof ticket === "string" ? this.#parts.backend.exchangeTicket(ticket) : null;
    if (exchanged === null) return this.#refusals.invalidKey(incoming);
    const { secret, grant } = exchanged;
    const { token_id, scope, expires_at } = grant;
    return dataResponse({ token: secret, token_id, scope, expires_at });
  }

  async #metrics(request: Request, { scope }: Grant): Promise<Response> {
    if (scope.kind === "owner") return metricsResponse(request, this.#parts.backend);
    throw new HoltError("EDENIED", "metrics need the owner's token", { hint: "send the owner's token" });
  }

  /** The SDK's response, with our security headers added. */
  async #mcp(routed: RoutedRequest, grant: Grant): Promise<Response> {
    const answer = await this.#parts.mcp(routed.request, grant, routed.correlationId);
    for (const [name, value] of Object.entries(safeHeaders())) answer.headers.set(name, value);
    return LOGGED_STATUSES.has(answer.status) ? this.#refusals.logged(routed, answer, "MCP") : answer;
  }

  #errorResponse(error: HoltError): Response {
    const seconds = error.details["retry_after_s"];
    const retry = error.code === "ERLIMIT" || error.code === "EBUSY";
    return errorResponse(
      error,
      undefined,
      retry ? { "retry-after": String(typeof seconds === "number" ? seconds : 1) } : {},
    );
  }
}

interface CallInput {
  body: Record<string, unknown>;
  /** Fires when the client disconnects or its key ends. */
  signal: AbortSignal;
}
