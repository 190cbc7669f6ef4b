/**
 * HTTP: each request, from the door to its answer. In this order, so that nobody learns anything who has no business here: Host and Origin (guard.ts), the key,
 * how often that key asks, the route, the body.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { Tenure } from "../websocket/token-lifetime.ts";
import { bodyOf } from "./body.ts";
import {
  brokenDown,
  data,
  failed,
  JSON_TYPE,
  noAddress,
  nothingAt,
  safeHeaders,
  tooOften,
  unauthorized,
  wrongMethod,
} from "./envelope.ts";
import { exchangeOf } from "./exchange.ts";
import type { Guard } from "./guard.ts";
import type { House, Opened } from "./backend.ts";
import { metricsAnswer } from "./metrics-answer.ts";
import { openApi } from "./openapi.ts";
import type { PageFiles } from "./page-files.ts";
import { Rate } from "./rate.ts";
import { Refusals } from "./refusals.ts";
import { requestIdOf, withRequestId } from "./request-id.ts";
import { nearestTo, OVER_WEBSOCKET, routeOf } from "./routes.ts";
import { isUpgrade, shownIn } from "./request-token.ts";
import { type Asked, type Server, Upgrades, type Visit } from "./upgrades.ts";

/** Of who has no key: a ticket has fewer. */
const MAX_TICKET_BYTES = 1024;
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 415]);
const UPGRADED = 101;

export interface SurfaceParts {
  house: House;
  guard: Guard;
  page: PageFiles;
  /** MCP, where that is asked for. */
  mcp: (request: Request, opened: Opened, correlationId: string) => Promise<Response>;
}

export class HttpSurface {
  readonly #parts: SurfaceParts;
  readonly #rate: Rate;
  readonly #refusals: Refusals;
  readonly #upgrades: Upgrades;

  constructor(parts: SurfaceParts) {
    this.#parts = parts;
    this.#rate = new Rate(() => parts.house.terms.rate);
    this.#refusals = new Refusals(parts.house);
    this.#upgrades = new Upgrades(parts.house, (asked) => this.#refusals.wrongKey(asked));
  }

  /** Undefined once it is a WebSocket. */
  async answer(request: Request, server: Server): Promise<Response | undefined> {
    const from = server.requestIP(request)?.address ?? "unknown";
    const correlationId = requestIdOf(request, this.#parts.house);
    const response = await this.#answer({ request, from, correlationId }, server);
    this.#parts.house.log("debug", "http", { correlation_id: correlationId, status: response?.status ?? UPGRADED });
    return response === undefined ? undefined : withRequestId(response, correlationId);
  }

  async #answer(visit: Visit, server: Server): Promise<Response | undefined> {
    const { request, correlationId } = visit;
    const refusal = this.#parts.guard.refusal(request);
    if (refusal !== null) return this.#refusals.refused(visit, failed(refusal), refusal.message);
    const url = URL.parse(request.url);
    if (url === null) return this.#refusals.refused(visit, noAddress(), "no address");
    const { pathname, searchParams: query } = url;
    const route = routeOf(request.method, pathname);
    if (route?.kind === "health") return data({ status: "ok" });
    const page = route === null ? this.#parts.page.answer(request, pathname) : null;
    if (page !== null) return page;
    try {
      if (route?.kind === "session") return await this.#exchange(visit);
      return await this.#withKey({ ...visit, server, route, query });
    } catch (error) {
      if (error instanceof HoltError) {
        const response = this.#failed(error);
        return error.code === "EDENIED" ? this.#refusals.refused(visit, response, error.message) : response;
      }
      this.#parts.house.log("error", "http", { correlation_id: correlationId, path: pathname, error: String(error) });
      return brokenDown();
    }
  }

  async #withKey(asked: Asked): Promise<Response | undefined> {
    const { request, route, query } = asked;
    const shown = shownIn(request, route, query);
    // Without any, a terminal is asked for one in its first message.
    if (shown === null && route?.kind === "attach" && isUpgrade(request)) return this.#upgrades.answer(asked, null);
    if (shown === null) return this.#refusals.refused(asked, unauthorized("no key was shown"), "no key");
    const { house } = this.#parts;
    const found = house.find(shown.secret);
    if (found === null) return this.#refusals.notOpened(asked);
    if (shown.way === "address" && found.kind !== "ticket" && found.scope.kind === "owner")
      return this.#refusals.refused(asked, unauthorized(), "the owner's key in an address");
    if (!this.#rate.take(found.token_id)) return tooOften();
    if (route === null) return nothingAt(request, nearestTo);
    if (route.kind === "wrong_method") return wrongMethod(request.method, route.allowed);
    // Who is told to try again needs the ticket for that.
    const open = (): Opened | null => house.open(shown.secret);
    if (["attach", "stream", "rpc"].includes(route.kind))
      return this.#upgrades.answer(asked, { found, open, way: shown.way });
    const opened = open();
    if (opened === null) return this.#refusals.notOpened(asked);
    if (route.kind === "openapi")
      return new Response(openApi(), { headers: { ...safeHeaders(), "content-type": JSON_TYPE } });
    if (route.kind === "mcp") return this.#mcp(asked, opened);
    if (route.kind === "metrics") return this.#metrics(request, opened);
    return this.#called(asked, opened);
  }

  /** A call may wait for long: it is given up when its key ends meanwhile. */
  async #called(asked: Asked, opened: Opened): Promise<Response> {
    const { request } = asked;
    const body = await bodyOf(request);
    if (body instanceof Response) return this.#refusals.refused(asked, body, "its body");
    const ended = new AbortController();
    using _tenure = new Tenure(this.#parts.house, opened, () => ended.abort());
    try {
      return await this.#answered(asked, opened, { body, signal: AbortSignal.any([request.signal, ended.signal]) });
    } catch (error) {
      if (ended.signal.aborted) return this.#refusals.refused(asked, unauthorized(), "its key has ended");
      throw error;
    }
  }

  async #answered(
    { route, query, from, correlationId }: Asked,
    opened: Opened,
    { body, signal }: Given,
  ): Promise<Response> {
    const { house } = this.#parts;
    const path = route?.kind === "resource" ? route.path : {};
    const exchange = exchangeOf({ house, opened, body, query, path, signal, correlationId, from: `http ${from}` });
    if (route?.kind === "resource") return route.resource.answer(exchange);
    const method = route?.kind === "call" ? route.method : "";
    if (OVER_WEBSOCKET.has(method))
      throw new HoltError("EBADARGS", `${method} needs a connection on which it can be told`, {
        hint: "open a WebSocket at /api/v1/rpc, or at /api/v1/sessions/ID/stream",
      });
    return data(await exchange.call(method, body));
  }

  /** A browser has no token that it could keep: it comes with a ticket, and goes with what it is good for. */
  async #exchange(visit: Visit): Promise<Response> {
    const body = await bodyOf(visit.request, MAX_TICKET_BYTES);
    if (body instanceof Response) return this.#refusals.refused(visit, body, "its body");
    const { ticket } = body;
    const exchanged = typeof ticket === "string" ? this.#parts.house.exchange(ticket) : null;
    if (exchanged === null) return this.#refusals.notOpened(visit);
    const { secret, opened } = exchanged;
    const { token_id, scope, expires_at } = opened;
    return data({ token: secret, token_id, scope, expires_at });
  }

  async #metrics(request: Request, { scope }: Opened): Promise<Response> {
    if (scope.kind === "owner") return metricsAnswer(request, this.#parts.house);
    throw new HoltError("EDENIED", "metrics are the owner's", { hint: "show the owner's token" });
  }

  /** Another's answers, with the headers of all others. */
  async #mcp(asked: Asked, opened: Opened): Promise<Response> {
    const answer = await this.#parts.mcp(asked.request, opened, asked.correlationId);
    for (const [name, value] of Object.entries(safeHeaders())) answer.headers.set(name, value);
    return REFUSALS.has(answer.status) ? this.#refusals.refused(asked, answer, "MCP") : answer;
  }

  #failed(error: HoltError): Response {
    const seconds = error.details["retry_after_s"];
    const retry = error.code === "ERLIMIT" || error.code === "EBUSY";
    return failed(error, undefined, retry ? { "retry-after": String(typeof seconds === "number" ? seconds : 1) } : {});
  }
}

interface Given {
  body: Record<string, unknown>;
  /** Fires when nobody waits any more, or nobody may. */
  signal: AbortSignal;
}
