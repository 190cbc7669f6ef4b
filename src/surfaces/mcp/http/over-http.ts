/** MCP at /mcp: the same tools as on stdin and stdout, both eras, for whoever shows the owner's token. */
import { askingOnce } from "../../jsonrpc/calls.ts";
import { errorOf } from "../../jsonrpc/messages.ts";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Method, Params, Result } from "../../../protocol/methods/table.schema.ts";
import { bodyOf } from "../../http/body.ts";
import { failed } from "../../http/envelope.ts";
import type { House, Opened } from "../../http/backend.ts";
import type { Daemons } from "../daemon-link.ts";
import { identifiedAnswer, identifyErrors } from "../error-ids.ts";
import { HttpClient } from "./http-client.ts";
import { HttpClients } from "./http-clients.ts";
import { isStream } from "./lasting.ts";
import { type Lasting, whileKeyIsGood } from "./key-bound.ts";
import { UnknownClient } from "../ownership.ts";
import { serverFor, toolsetNamed } from "../server-for.ts";
import { SessionUris } from "../session-uris.ts";
import { acceptSubscriptions } from "../subscriptions.ts";
import type { Toolset } from "../toolsets/toolset.ts";
import { inOwnNames } from "../wire.ts";

const LISTEN = "subscriptions/listen";
const SESSION = "mcp-session-id";
/** In the newer era a header has the name of the tool, too. */
const NAME = "mcp-name";
const STREAM = "text/event-stream";
/** The answer that hosts take for the end of an Mcp-Session-Id. */
const NO_SESSION = { jsonrpc: -32001, http: 404 };
/** More often than the server lets go of who is silent. */
const KEEP_ALIVE_MS = 4000;

interface Desk {
  handler: McpHttpHandler;
  uris: SessionUris;
  aliases: NonNullable<Toolset["aliases"]>;
}

export class McpOverHttp implements Disposable {
  readonly #house: House;
  readonly #desks = new Map<string, Desk>();
  /** Each request has a server of its own: what outlives it is its client's. */
  readonly #clients: HttpClients;
  readonly #refused = (error: object): void => this.#house.log("info", "mcp refused", { ...error });
  #listeners = 0;

  constructor(house: House) {
    this.#house = house;
    this.#clients = new HttpClients(house);
  }

  async answer(request: Request, opened: Opened, correlationId: string): Promise<Response> {
    if (opened.scope.kind !== "owner")
      return failed(
        new HoltError("EDENIED", "MCP needs the owner's token", {
          hint: "it is in owner-token in the state directory",
        }),
      );
    const desk = this.#desk(new URL(request.url).searchParams.get("tools") ?? "agent");
    const body = request.method === "POST" ? await bodyOf(request) : null;
    if (body instanceof Response) return body;
    const key = { house: this.#house, opened };
    return whileKeyIsGood(key, request, (signal) =>
      this.#answered({ request, opened, desk, body, signal, correlationId }),
    );
  }

  async #answered({ request, opened, desk, body, signal: given, correlationId }: Asked): Promise<Lasting> {
    const { uris, aliases } = desk;
    const { url, method } = request;
    const isComing = body?.["method"] === "initialize";
    const id = isComing ? null : request.headers.get(SESSION);
    const client = isComing ? new HttpClient(uris) : id === null ? null : this.#clients.find(id, opened);
    if (id !== null && client === null) return { response: sessionNotFound(body, correlationId), over() {} };
    const extra = { opened, client, correlationId };
    if (body === null) {
      const response = client === null ? null : this.#ofClient(client, request);
      const asked = new Request(url, { method, headers: request.headers, signal: given });
      return { response: response ?? (await this.#handled(desk, asked, { extra })), over() {} };
    }
    const { signal, over } = client?.received(body, given) ?? { signal: given, over() {} };
    const { headers, parsedBody } = requestInOwnNames(request.headers, body, aliases);
    const asked = new Request(url, { method, headers, signal });
    const response = await this.#handled(desk, asked, { extra, parsedBody }).catch((error: unknown) => {
      over();
      throw error;
    });
    if (isComing && client !== null && response.ok) {
      this.#clients.keep(client, opened);
      response.headers.set(SESSION, client.id);
    }
    const unlisten = isStream(response) && !signal.aborted ? this.#listen(body, uris) : () => {};
    return {
      response,
      over: () => {
        unlisten();
        over();
      },
    };
  }

  async #handled({ handler }: Desk, asked: Request, { parsedBody, extra }: Handled): Promise<Response> {
    const authInfo = { token: "", clientId: extra.opened.token_id, scopes: [], extra: { ...extra } };
    const response = await handler.fetch(asked, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) });
    return identifiedAnswer(response, extra.correlationId, this.#refused);
  }

  /** Null: not a request of the transport. */
  #ofClient(client: HttpClient, { method, headers }: Request): Response | null {
    if (method === "GET" && headers.get("accept")?.includes(STREAM) === true) return client.listen();
    if (method !== "DELETE") return null;
    this.#clients.forget(client.id);
    return new Response(null, { status: 204 });
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]();
    for (const { handler, uris } of this.#desks.values()) {
      void handler.close();
      uris[Symbol.dispose]();
    }
    this.#desks.clear();
  }

  #desk(tools: string): Desk {
    const known = this.#desks.get(tools);
    if (known !== undefined) return known;
    const toolset = toolsetNamed(tools);
    const { failureText, words, aliases = {} } = toolset;
    const house = this.#house;
    const record = (fields: object): void => house.log("info", "mcp call", { ...fields });
    const uris = new SessionUris(house.sessions);
    const handler = createMcpHandler(
      ({ authInfo, era }) => {
        const { opened, client, correlationId } = (authInfo as unknown as Handled).extra;
        const daemon = within(house, opened);
        const ownership = client?.ownership ?? new UnknownClient();
        const toHost = { failureText, words, correlationId: () => correlationId, record };
        const context = { sessions: house.sessions, daemon, cwd: null, ownership, ...toHost };
        const server = serverFor(toolset, context, era === "legacy" && client === null ? null : UNTOLD);
        if (toolset.hasResources && era === "legacy" && client !== null) acceptSubscriptions(server, client);
        identifyErrors(server, correlationId, this.#refused);
        return server;
      },
      {
        onerror: (error) => house.log("warn", "mcp message left out", { reason: error.name }),
        keepAliveMs: KEEP_ALIVE_MS,
      },
    );
    uris.tellThrough({
      updated: (uri) => {
        handler.notify.resourceUpdated(uri);
        for (const client of this.#clients) if (client.uris === uris) client.updated(uri);
      },
      listChanged: () => {
        handler.notify.resourcesChanged();
        for (const client of this.#clients) if (client.uris === uris) client.listChanged();
      },
    });
    const desk = { handler, uris, aliases };
    this.#desks.set(tools, desk);
    return desk;
  }

  /** What a client of the newer era listens to is followed from when it was told yes until what is returned is called. */
  #listen(body: Record<string, unknown>, uris: SessionUris): () => void {
    if (body["method"] !== LISTEN) return () => {};
    const { notifications } = (body["params"] ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
    const asked = notifications?.resourceSubscriptions;
    const wanted = Array.isArray(asked) ? asked.filter((uri) => typeof uri === "string") : [];
    const asker = ++this.#listeners;
    for (const uri of wanted) uris.add(uri, asker);
    return () => {
      for (const uri of wanted) uris.remove(uri, asker);
    };
  }
}

/** The values that the SDK hands to the server of a request. */
interface Handled {
  parsedBody?: unknown;
  extra: { opened: Opened; client: HttpClient | null; correlationId: string };
}

/** One request. */
interface Asked {
  request: Request;
  opened: Opened;
  desk: Desk;
  /** Null where none is sent. */
  body: Record<string, unknown> | null;
  /** Fires when nobody waits any more, or nobody may. */
  signal: AbortSignal;
  correlationId: string;
}

function sessionNotFound(body: Record<string, unknown> | null, correlation_id: string): Response {
  const id = body?.["id"];
  const error = new HoltError("ENOTFOUND", "Session not found", {
    details: { correlation_id },
    hint: "send `initialize` again, without Mcp-Session-Id",
  });
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return Response.json(errorOf(known, error, NO_SESSION.jsonrpc), { status: NO_SESSION.http });
}

/** A server of one request sends nothing later: the handler does in the newer era, and the client's own stream in the older. */
const UNTOLD = { tellThrough() {} };

/** In the daemon itself. */
function within(house: House, opened: Opened): Daemons {
  const methods = house.methods(opened, "mcp over http");
  return {
    as(correlationId) {
      const call = async <M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> =>
        (await methods.call(method, params, askingOnce(signal, correlationId))) as Result<M>;
      return { call, once: call };
    },
  };
}

function requestInOwnNames(
  headers: Headers,
  body: Record<string, unknown>,
  aliases: NonNullable<Toolset["aliases"]>,
): { headers: Headers; parsedBody: Record<string, unknown> } {
  const { method, params } = body;
  if (method !== "tools/call" || typeof params !== "object" || params === null) return { headers, parsedBody: body };
  const own = inOwnNames({ ...params }, aliases);
  const ownHeaders = new Headers(headers);
  if (headers.get(NAME) === (params as { name?: unknown }).name) ownHeaders.set(NAME, String(own["name"]));
  return { headers: ownHeaders, parsedBody: { ...body, params: own } };
}
