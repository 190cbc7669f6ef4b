/** MCP at /mcp: the same tools as on stdin and stdout, both eras, for whoever shows the owner's token. */
import { askingOnce } from "../jsonrpc/asking.ts";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { HoltError } from "../../protocol/errors.ts";
import type { Method, Params, Result } from "../../protocol/table.schema.ts";
import { bodyOf } from "../http/body.ts";
import { failed, unauthorized } from "../http/envelope.ts";
import type { House, Opened } from "../http/house.ts";
import { Tenure } from "../websocket/tenure.ts";
import { CanceledByMessage } from "./canceled-by-message.ts";
import type { Daemon } from "./daemon-link.ts";
import { isStream, lasting } from "./lasting.ts";
import { inOwnNames } from "./own-names.ts";
import { Ownership } from "./ownership.ts";
import { serverFor, toolsetNamed } from "./server-for.ts";
import { SessionUris } from "./session-uris.ts";
import type { Toolset } from "./toolset.ts";

const LISTEN = "subscriptions/listen";
const NAME = "mcp-name";
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
  /** Each request has a server of its own: whose sessions are whose outlives it, by the key that was shown. */
  readonly #ownerships = new Map<string, Ownership>();
  readonly #canceled = new CanceledByMessage();
  #listeners = 0;

  constructor(house: House) {
    this.#house = house;
  }

  async answer(request: Request, opened: Opened): Promise<Response> {
    if (opened.scope.kind !== "owner")
      return failed(
        new HoltError("EDENIED", "MCP needs the owner's token", {
          hint: "it is in owner-token in the state directory",
        }),
      );
    const desk = this.#desk(new URL(request.url).searchParams.get("tools") ?? "agent");
    const body = request.method === "POST" ? await bodyOf(request) : null;
    if (body instanceof Response) return body;
    return this.#whileGood(opened, request, (signal) => this.#answered({ request, opened, desk, body, signal }));
  }

  /** What a key opened ends with it: a stream is closed, and a call is given up. */
  async #whileGood(
    opened: Opened,
    request: Request,
    work: (signal: AbortSignal) => Promise<Lasting>,
  ): Promise<Response> {
    const ended = new AbortController();
    const tenure = new Tenure(this.#house, opened, () => ended.abort());
    const signal = AbortSignal.any([request.signal, ended.signal]);
    try {
      const { response, over } = await Promise.race([work(signal), rejectedBy(ended.signal)]);
      return lasting(response, signal, () => {
        tenure[Symbol.dispose]();
        over();
      });
    } catch (error) {
      tenure[Symbol.dispose]();
      if (ended.signal.aborted) return unauthorized();
      throw error;
    }
  }

  async #answered({ request, opened, desk, body, signal: given }: Asked): Promise<Lasting> {
    const { handler, uris, aliases } = desk;
    const authInfo = { token: "", clientId: opened.token_id, scopes: [], extra: { opened } };
    const { url, method } = request;
    if (body === null) {
      const asked = new Request(url, { method, headers: request.headers, signal: given });
      return { response: await handler.fetch(asked, { authInfo }), over() {} };
    }
    const signal = this.#canceled.heard({ headers: request.headers, message: body, opened, signal: given });
    const { headers, parsedBody } = inOwnWords(request.headers, body, aliases);
    const asked = new Request(url, { method, headers, signal });
    const response = this.#canceled.welcome(body, await handler.fetch(asked, { authInfo, parsedBody }));
    return { response, over: isStream(response) && !signal.aborted ? this.#listen(body, uris) : () => {} };
  }

  [Symbol.dispose](): void {
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
        const { opened } = (authInfo as unknown as { extra: { opened: Opened } }).extra;
        const daemon = within(house, opened);
        const ownership = this.#ownershipOf(opened);
        const context = { sessions: house.sessions, daemon, cwd: null, ownership, failureText, words, record };
        return serverFor(toolset, context, era === "legacy" ? null : UNTOLD);
      },
      {
        onerror: (error) => house.log("warn", "mcp message left out", { reason: error.name }),
        keepAliveMs: KEEP_ALIVE_MS,
      },
    );
    uris.tellThrough({
      updated: (uri) => handler.notify.resourceUpdated(uri),
      listChanged: () => handler.notify.resourcesChanged(),
    });
    const desk = { handler, uris, aliases };
    this.#desks.set(tools, desk);
    return desk;
  }

  #ownershipOf({ token_id }: Opened): Ownership {
    const known = this.#ownerships.get(token_id) ?? new Ownership();
    this.#ownerships.set(token_id, known);
    return known;
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

/** One request. */
interface Asked {
  request: Request;
  opened: Opened;
  desk: Desk;
  /** Null where none is sent. */
  body: Record<string, unknown> | null;
  /** Fires when nobody waits any more, or nobody may. */
  signal: AbortSignal;
}

/** An answer, and what is to be done when nothing more of it is said. */
interface Lasting {
  response: Response;
  over: () => void;
}

/** Whatever does not look at its signal is still given up. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => reject(new HoltError("ECANCELED", "the key has ended"));
  if (signal.aborted) give();
  else signal.addEventListener("abort", give, { once: true });
  promise.catch(() => {}); // it may fire when the answer is under way
  return promise;
}

/** Of the newer era, what is called stands in a header, too. */
function inOwnWords(headers: Headers, body: Record<string, unknown>, aliases: Desk["aliases"]) {
  const { method, params } = body;
  if (method !== "tools/call" || typeof params !== "object" || params === null) return { headers, parsedBody: body };
  const own = inOwnNames({ ...params }, aliases);
  const ownHeaders = new Headers(headers);
  if (headers.get(NAME) === (params as { name?: unknown }).name) ownHeaders.set(NAME, String(own["name"]));
  return { headers: ownHeaders, parsedBody: { ...body, params: own } };
}

/** A server of one request tells nobody anything later: in the newer era that is the handler's to do, and in the older nobody's. */
const UNTOLD = { tellThrough() {} };

/** In the daemon itself. */
function within(house: House, opened: Opened): Daemon {
  const methods = house.methods(opened, "mcp over http");
  const call = async <M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> =>
    (await methods.call(method, params, askingOnce(signal))) as Result<M>;
  return { call, once: call };
}
