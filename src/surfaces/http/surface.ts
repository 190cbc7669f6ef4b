/**
 * HTTP: each request, from the door to its answer. In this order, so that nobody learns anything who has no business here: Host and Origin (guard.ts), the key,
 * how often that key asks, the route, the body.
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

/** Of who has no key: a ticket has fewer. */
const MAX_TICKET_BYTES = 1024;
const LOGGED_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 415]);
const UPGRADED = 101;

export interface SurfaceParts {
  backend: HttpBackend;
  guard: OriginGuard;
  page: PageFiles;
  /** MCP, where that is asked for. */
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
    this.#upgrades = new Upgrades(parts.backend, (asked) => this.#refusals.invalidKeyError(asked));
  }

  /** Undefined once it is a WebSocket. */
  async answer(request: Request, server: Server): Promise<Response | undefined> {
    const from = server.requestIP(request)?.address ?? "unknown";
    const correlationId = requestIdOf(request, this.#parts.backend);
    const response = await this.#answer({ request, from, correlationId }, server);
    this.#parts.backend.log("debug", "http", { correlation_id: correlationId, status: response?.status ?? UPGRADED });
    return response === undefined ? undefined : withRequestId(response, correlationId);
  }

  async #answer(visit: IncomingRequest, server: Server): Promise<Response | undefined> {
    const { request, correlationId } = visit;
    const refusal = this.#parts.guard.refuse(request);
    if (refusal !== null) return this.#refusals.logged(visit, errorResponse(refusal), refusal.message);
    const url = URL.parse(request.url);
    if (url === null) return this.#refusals.logged(visit, invalidUrl(), "no address");
    const { pathname, searchParams: query } = url;
    const route = routeOf(request.method, pathname);
    if (route?.kind === "health") return dataResponse({ status: "ok" });
    const page = route === null ? this.#parts.page.answer(request, pathname) : null;
    if (page !== null) return page;
    try {
      if (route?.kind === "session") return await this.#exchangeTicket(visit);
      return await this.#authenticated({ ...visit, server, route, query });
    } catch (error) {
      if (error instanceof HoltError) {
        const response = this.#errorResponse(error);
        return error.code === "EDENIED" ? this.#refusals.logged(visit, response, error.message) : response;
      }
      this.#parts.backend.log("error", "http", { correlation_id: correlationId, path: pathname, error: String(error) });
      return internalError();
    }
  }

  async #authenticated(asked: RoutedRequest): Promise<Response | undefined> {
    const { request, route, query } = asked;
    const shown = presentedKey(request, route, query);
    // Without any, a terminal is asked for one in its first message.
    if (shown === null && route?.kind === "attach" && isUpgrade(request)) return this.#upgrades.answer(asked, null);
    if (shown === null) return this.#refusals.logged(asked, unauthorized("no key was shown"), "no key");
    const { backend } = this.#parts;
    const found = backend.findKey(shown.secret);
    if (found === null) return this.#refusals.invalidKey(asked);
    if (shown.source === "address" && found.kind !== "ticket" && found.scope.kind === "owner")
      return this.#refusals.logged(asked, unauthorized(), "the owner's key in an address");
    if (!this.#rate.take(found.token_id)) return tooManyRequests();
    if (route === null) return pathNotFound(request, nearestPath);
    if (route.kind === "wrong_method") return methodNotAllowed(request.method, route.allowed);
    // Who is told to try again needs the ticket for that.
    const open = (): Grant | null => backend.useKey(shown.secret);
    if (["attach", "stream", "rpc"].includes(route.kind))
      return this.#upgrades.answer(asked, { grant: found, use: open, source: shown.source });
    const grant = open();
    if (grant === null) return this.#refusals.invalidKey(asked);
    if (route.kind === "openapi")
      return new Response(openApi(), { headers: { ...safeHeaders(), "content-type": JSON_TYPE } });
    if (route.kind === "mcp") return this.#mcp(asked, grant);
    if (route.kind === "metrics") return this.#metrics(request, grant);
    return this.#callMethod(asked, grant);
  }

  /** A call may wait for long: it is given up when its key ends meanwhile. */
  async #callMethod(asked: RoutedRequest, grant: Grant): Promise<Response> {
    const { request } = asked;
    const body = await readJsonBody(request);
    if (body instanceof Response) return this.#refusals.logged(asked, body, "its body");
    const ended = new AbortController();
    using _tenure = new TokenLifetime(this.#parts.backend, grant, () => ended.abort());
    try {
      return await this.#callOrResource(asked, grant, {
        body,
        signal: AbortSignal.any([request.signal, ended.signal]),
      });
    } catch (error) {
      if (ended.signal.aborted) return this.#refusals.logged(asked, unauthorized(), "its key has ended");
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
    const exchange = resourceRequest({
      backend,
      grant,
      body,
      query,
      path,
      signal,
      correlationId,
      from: `http ${from}`,
    });
    if (route?.kind === "resource") return route.resource.answer(exchange);
    const method = route?.kind === "call" ? route.method : "";
    if (WEBSOCKET_ONLY.has(method))
      throw new HoltError("EBADARGS", `${method} needs a connection on which it can be told`, {
        hint: "open a WebSocket at /api/v1/rpc, or at /api/v1/sessions/ID/stream",
      });
    return dataResponse(await exchange.call(method, body));
  }

  /** A browser has no token that it could keep: it comes with a ticket, and goes with what it is good for. */
  async #exchangeTicket(visit: IncomingRequest): Promise<Response> {
    const body = await readJsonBody(visit.request, MAX_TICKET_BYTES);
    if (body instanceof Response) return this.#refusals.logged(visit, body, "its body");
    const { ticket } = body;
    const exchanged = typeof ticket === "string" ? this.#parts.backend.exchangeTicket(ticket) : null;
    if (exchanged === null) return this.#refusals.invalidKey(visit);
    const { secret, grant } = exchanged;
    const { token_id, scope, expires_at } = grant;
    return dataResponse({ token: secret, token_id, scope, expires_at });
  }

  async #metrics(request: Request, { scope }: Grant): Promise<Response> {
    if (scope.kind === "owner") return metricsResponse(request, this.#parts.backend);
    throw new HoltError("EDENIED", "metrics are the owner's", { hint: "show the owner's token" });
  }

  /** Another's answers, with the headers of all others. */
  async #mcp(asked: RoutedRequest, grant: Grant): Promise<Response> {
    const answer = await this.#parts.mcp(asked.request, grant, asked.correlationId);
    for (const [name, value] of Object.entries(safeHeaders())) answer.headers.set(name, value);
    return LOGGED_STATUSES.has(answer.status) ? this.#refusals.logged(asked, answer, "MCP") : answer;
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
  /** Fires when nobody waits any more, or nobody may. */
  signal: AbortSignal;
}
