/** MCP at /mcp: the same tools as on stdin and stdout, both eras, for whoever shows the owner's token. */
import { singleCallOrigin } from "../../jsonrpc/calls.ts";
import { errorOf } from "../../jsonrpc/messages.ts";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Method, Params, Result } from "../../../protocol/methods/table.schema.ts";
import { readJsonBody } from "../../http/body.ts";
import { errorResponse } from "../../http/responses.ts";
import type { HttpBackend, Grant } from "../../http/backend.ts";
import type { DaemonCalls } from "../daemon-link.ts";
import { responseWithCorrelationId, addCorrelationIds } from "../error-correlation.ts";
import { HttpClient } from "./http-client.ts";
import { HttpClients } from "./http-clients.ts";
import { isStream } from "./stream-lifetime.ts";
import { type PendingResponse, whileKeyIsValid } from "./key-lifetime.ts";
import { UnknownClient } from "../ownership.ts";
import { makeMcpServer, toolsetNamed } from "../mcp-server.ts";
import { ResourceWatcher } from "../resource-watcher.ts";
import { acceptSubscriptions } from "../subscriptions.ts";
import type { Toolset } from "../toolsets/toolset.ts";
import { resolveAlias } from "../mcp-transport.ts";

const LISTEN = "subscriptions/listen";
const SESSION = "mcp-session-id";
/** In the newer era a header has the name of the tool, too. */
const NAME = "mcp-name";
const STREAM = "text/event-stream";
/** The answer that hosts take for the end of an Mcp-Session-Id. */
const NO_SESSION = { jsonrpc: -32001, http: 404 };
/** More often than the server lets go of who is silent. */
const KEEP_ALIVE_MS = 4000;

interface ToolsetEndpoint {
  handler: McpHttpHandler;
  watcher: ResourceWatcher;
  aliases: NonNullable<Toolset["aliases"]>;
}

export class McpOverHttp implements Disposable {
  readonly #backend: HttpBackend;
  readonly #endpoints = new Map<string, ToolsetEndpoint>();
  /** Each request has a server of its own: what outlives it is its client's. */
  readonly #clients: HttpClients;
  readonly #refused = (error: object): void => this.#backend.log("info", "mcp refused", { ...error });
  #listeners = 0;

  constructor(backend: HttpBackend) {
    this.#backend = backend;
    this.#clients = new HttpClients(backend);
  }

  async answer(request: Request, grant: Grant, correlationId: string): Promise<Response> {
    if (grant.scope.kind !== "owner")
      return errorResponse(
        new HoltError("EDENIED", "MCP needs the owner's token", {
          hint: "it is in owner-token in the state directory",
        }),
      );
    const desk = this.#endpoint(new URL(request.url).searchParams.get("tools") ?? "agent");
    const body = request.method === "POST" ? await readJsonBody(request) : null;
    if (body instanceof Response) return body;
    const key = { backend: this.#backend, grant };
    return whileKeyIsValid(key, request, (signal) =>
      this.#answerPart({ request, grant, desk, body, signal, correlationId }),
    );
  }

  async #answerPart({
    request,
    grant,
    desk,
    body,
    signal: given,
    correlationId,
  }: McpRequest): Promise<PendingResponse> {
    const { watcher, aliases } = desk;
    const { url, method } = request;
    const isComing = body?.["method"] === "initialize";
    const id = isComing ? null : request.headers.get(SESSION);
    const client = isComing ? new HttpClient(watcher) : id === null ? null : this.#clients.find(id, grant);
    if (id !== null && client === null) return { response: sessionNotFound(body, correlationId), onDone() {} };
    const extra = { grant, client, correlationId };
    if (body === null) {
      const response = client === null ? null : this.#transportRequest(client, request);
      const asked = new Request(url, { method, headers: request.headers, signal: given });
      return { response: response ?? (await this.#callSdk(desk, asked, { extra })), onDone() {} };
    }
    const { signal, onDone: over } = client?.received(body, given) ?? { signal: given, onDone() {} };
    const { headers, parsedBody } = resolveRequestAlias(request.headers, body, aliases);
    const asked = new Request(url, { method, headers, signal });
    const response = await this.#callSdk(desk, asked, { extra, parsedBody }).catch((error: unknown) => {
      over();
      throw error;
    });
    if (isComing && client !== null && response.ok) {
      this.#clients.keep(client, grant);
      response.headers.set(SESSION, client.id);
    }
    const unlisten = isStream(response) && !signal.aborted ? this.#listen(body, watcher) : () => {};
    return {
      response,
      onDone: () => {
        unlisten();
        over();
      },
    };
  }

  async #callSdk(
    { handler }: ToolsetEndpoint,
    asked: Request,
    { parsedBody, extra }: SdkRequestOptions,
  ): Promise<Response> {
    const authInfo = { token: "", clientId: extra.grant.token_id, scopes: [], extra: { ...extra } };
    const response = await handler.fetch(asked, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) });
    return responseWithCorrelationId(response, extra.correlationId, this.#refused);
  }

  /** Null: not a request of the transport. */
  #transportRequest(client: HttpClient, { method, headers }: Request): Response | null {
    if (method === "GET" && headers.get("accept")?.includes(STREAM) === true) return client.listen();
    if (method !== "DELETE") return null;
    this.#clients.forget(client.id);
    return new Response(null, { status: 204 });
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]();
    for (const { handler, watcher } of this.#endpoints.values()) {
      void handler.close();
      watcher[Symbol.dispose]();
    }
    this.#endpoints.clear();
  }

  #endpoint(tools: string): ToolsetEndpoint {
    const known = this.#endpoints.get(tools);
    if (known !== undefined) return known;
    const toolset = toolsetNamed(tools);
    const { failureText, words, aliases = {} } = toolset;
    const backend = this.#backend;
    const record = (fields: object): void => backend.log("info", "mcp call", { ...fields });
    const watcher = new ResourceWatcher(backend.sessions);
    const handler = createMcpHandler(
      ({ authInfo, era }) => {
        const { grant, client, correlationId } = (authInfo as unknown as SdkRequestOptions).extra;
        const daemon = inProcessDaemon(backend, grant);
        const ownership = client?.ownership ?? new UnknownClient();
        const toHost = { failureText, words, correlationId: () => correlationId, record };
        const context = { sessions: backend.sessions, daemon, cwd: null, ownership, ...toHost };
        const server = makeMcpServer(toolset, context, era === "legacy" && client === null ? null : NO_LATER_UPDATES);
        if (toolset.hasResources && era === "legacy" && client !== null) acceptSubscriptions(server, client);
        addCorrelationIds(server, correlationId, this.#refused);
        return server;
      },
      {
        onerror: (error) => backend.log("warn", "mcp message left out", { reason: error.name }),
        keepAliveMs: KEEP_ALIVE_MS,
      },
    );
    watcher.setListener({
      updated: (uri) => {
        handler.notify.resourceUpdated(uri);
        for (const client of this.#clients) if (client.watcher === watcher) client.updated(uri);
      },
      listChanged: () => {
        handler.notify.resourcesChanged();
        for (const client of this.#clients) if (client.watcher === watcher) client.listChanged();
      },
    });
    const desk = { handler, watcher, aliases };
    this.#endpoints.set(tools, desk);
    return desk;
  }

  /** What a client of the newer era listens to is followed from when it was told yes until what is returned is called. */
  #listen(body: Record<string, unknown>, watcher: ResourceWatcher): () => void {
    if (body["method"] !== LISTEN) return () => {};
    const { notifications } = (body["params"] ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
    const asked = notifications?.resourceSubscriptions;
    const wanted = Array.isArray(asked) ? asked.filter((uri) => typeof uri === "string") : [];
    const asker = ++this.#listeners;
    for (const uri of wanted) watcher.add(uri, asker);
    return () => {
      for (const uri of wanted) watcher.remove(uri, asker);
    };
  }
}

/** The values that the SDK hands to the server of a request. */
interface SdkRequestOptions {
  parsedBody?: unknown;
  extra: { grant: Grant; client: HttpClient | null; correlationId: string };
}

/** One request. */
interface McpRequest {
  request: Request;
  grant: Grant;
  desk: ToolsetEndpoint;
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
const NO_LATER_UPDATES = { setListener() {} };

/** In the daemon itself. */
function inProcessDaemon(backend: HttpBackend, grant: Grant): DaemonCalls {
  const methods = backend.methodsFor(grant, "mcp over http");
  return {
    withCorrelationId(correlationId) {
      const call = async <M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> =>
        (await methods.call(method, params, singleCallOrigin(signal, correlationId))) as Result<M>;
      return { call, callOnce: call };
    },
  };
}

function resolveRequestAlias(
  headers: Headers,
  body: Record<string, unknown>,
  aliases: NonNullable<Toolset["aliases"]>,
): { headers: Headers; parsedBody: Record<string, unknown> } {
  const { method, params } = body;
  if (method !== "tools/call" || typeof params !== "object" || params === null) return { headers, parsedBody: body };
  const own = resolveAlias({ ...params }, aliases);
  const ownHeaders = new Headers(headers);
  if (headers.get(NAME) === (params as { name?: unknown }).name) ownHeaders.set(NAME, String(own["name"]));
  return { headers: ownHeaders, parsedBody: { ...body, params: own } };
}
