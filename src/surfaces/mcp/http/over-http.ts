/**
 * Serves MCP at /mcp: the tools of the stdio server, in both protocol eras, for the owner's token.
 */
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
/** In the newer protocol era, this header repeats the name of the tool. */
const NAME = "mcp-name";
const STREAM = "text/event-stream";
/** Hosts initialize again on this answer. */
const NO_SESSION = { jsonrpc: -32001, http: 404 };
/** More often than the server closes idle connections. */
const KEEP_ALIVE_MS = 4000;

interface ToolsetEndpoint {
  handler: McpHttpHandler;
  watcher: ResourceWatcher;
  aliases: NonNullable<Toolset["aliases"]>;
}

export class McpOverHttp implements Disposable {
  readonly #backend: HttpBackend;
  readonly #endpoints = new Map<string, ToolsetEndpoint>();
  /** Each request has its own MCP server; the state that outlives it is in its client. */
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
          hint: "the token is in owner-token in the state directory",
        }),
      );
    const endpoint = this.#endpoint(new URL(request.url).searchParams.get("tools") ?? "agent");
    const body = request.method === "POST" ? await readJsonBody(request) : null;
    if (body instanceof Response) return body;
    const key = { backend: this.#backend, grant };
    return whileKeyIsValid(key, request, (signal) =>
      this.#answerRequest({ request, grant, endpoint, body, signal, correlationId }),
    );
  }

  async #answerRequest({
    request,
    grant,
    endpoint,
    body,
    signal: given,
    correlationId,
  }: McpRequest): Promise<PendingResponse> {
    const { watcher, aliases } = endpoint;
    const { url, method } = request;
    const isInitialize = body?.["method"] === "initialize";
    const id = isInitialize ? null : request.headers.get(SESSION);
    const client = isInitialize ? new HttpClient(watcher) : id === null ? null : this.#clients.find(id, grant);
    if (id !== null && client === null) return { response: sessionNotFound(body, correlationId), onDone() {} };
    const extra = { grant, client, correlationId };
    if (body === null) {
      const response = client === null ? null : this.#transportRequest(client, request);
      const sdkRequest = new Request(url, { method, headers: request.headers, signal: given });
      return { response: response ?? (await this.#callSdk(endpoint, sdkRequest, { extra })), onDone() {} };
    }
    const { signal, onDone } = client?.received(body, given) ?? { signal: given, onDone() {} };
    const { headers, parsedBody } = resolveRequestAlias(request.headers, body, aliases);
    const sdkRequest = new Request(url, { method, headers, signal });
    const response = await this.#callSdk(endpoint, sdkRequest, { extra, parsedBody }).catch((error: unknown) => {
      onDone();
      throw error;
    });
    if (isInitialize && client !== null && response.ok) {
      this.#clients.keep(client, grant);
      response.headers.set(SESSION, client.id);
    }
    const unlisten = isStream(response) && !signal.aborted ? this.#listen(body, watcher) : () => {};
    return {
      response,
      onDone: () => {
        unlisten();
        onDone();
      },
    };
  }

  async #callSdk(
    { handler }: ToolsetEndpoint,
    request: Request,
    { parsedBody, extra }: SdkRequestOptions,
  ): Promise<Response> {
    const authInfo = { token: "", clientId: extra.grant.token_id, scopes: [], extra: { ...extra } };
    const response = await handler.fetch(request, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) });
    return responseWithCorrelationId(response, extra.correlationId, this.#refused);
  }

  /** Handles requests of the transport itself (GET and DELETE); null for others. */
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
    const endpoint = { handler, watcher, aliases };
    this.#endpoints.set(tools, endpoint);
    return endpoint;
  }

  /**
   * Watches the resources of a `subscriptions/listen` request until the returned function is
   * called.
   */
  #listen(body: Record<string, unknown>, watcher: ResourceWatcher): () => void {
    if (body["method"] !== LISTEN) return () => {};
    const { notifications } = (body["params"] ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
    const requested = notifications?.resourceSubscriptions;
    const uris = Array.isArray(requested) ? requested.filter((uri) => typeof uri === "string") : [];
    const subscriber = ++this.#listeners;
    for (const uri of uris) watcher.add(uri, subscriber);
    return () => {
      for (const uri of uris) watcher.remove(uri, subscriber);
    };
  }
}

/** Values that the SDK passes to the server of a request. */
interface SdkRequestOptions {
  parsedBody?: unknown;
  extra: { grant: Grant; client: HttpClient | null; correlationId: string };
}

/** One request to /mcp. */
interface McpRequest {
  request: Request;
  grant: Grant;
  endpoint: ToolsetEndpoint;
  /** Null when the request has no body. */
  body: Record<string, unknown> | null;
  /** Fires when the client disconnects or its key ends. */
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

/**
 * The server of one request sends no later notifications: the handler does in the newer era, and
 * the client's event stream in the older.
 */
const NO_LATER_UPDATES = { setListener() {} };

/** Calls the daemon's methods in this process. */
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
