/** Upgrades requests to WebSockets: chooses the peer and limits how many are open. */
import { callOnce } from "../../client/holder/holder-call.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal } from "../../protocol/types/session.ts";
import { BINARY_FRAMES, JSON_FRAMES, RPC_FRAMES } from "../../protocol/wire/web.ts";
import { AttachPeer } from "../websocket/attach-peer.ts";
import type { Peer, SocketData } from "../websocket/peer.ts";
import { UNLIMITED_SLOT, ConnectionSlots } from "../websocket/connection-slots.ts";
import { RpcPeer } from "../websocket/rpc-peer.ts";
import { StreamPeer } from "../websocket/stream-peer.ts";
import { parseAttachQuery, parseCursor } from "./attach-query.ts";
import { errorResponse, OWN_STATUSES, safeHeaders } from "./responses.ts";
import type { HttpBackend, Grant } from "./backend.ts";
import type { Route } from "./routes.ts";
import { requireScope } from "./scope.ts";
import { isValidHandshake, isUpgrade, offeredProtocols, type PresentedKey } from "./request-token.ts";

const MAX_SOCKETS = 2000;
/** Open WebSockets per key of one session. The owner's key has no limit of its own. */
const MAX_SOCKETS_OF_KEY = 32;
/**
 * WebSockets that have not sent a key yet, in all and per address. They are counted apart, so that
 * clients without a key cannot use up the WebSockets of the others.
 */
const UNAUTHENTICATED_SLOTS = { total: 64, perOwner: 16 };
const CLIENTS_ANSWER_MS = 1000;
const PROTOCOLS = [JSON_FRAMES, BINARY_FRAMES, RPC_FRAMES];

export type Server = Bun.Server<SocketData>;

/** A request, its client's address and its correlation id. */
export interface IncomingRequest {
  request: Request;
  from: string;
  /** The client's own X-Request-Id, or a new one. */
  correlationId: string;
}

export interface RoutedRequest extends IncomingRequest {
  server: Server;
  route: Route | null;
  query: URLSearchParams;
}

/** The key that was sent with the request. */
export interface UpgradeKey {
  grant: Grant;
  /** Uses a ticket up; null when another request used it first. */
  use: () => Grant | null;
  source: PresentedKey["source"];
}

export class Upgrades {
  readonly #backend: HttpBackend;
  readonly #invalidKey: (routed: RoutedRequest) => HoltError;
  readonly #unauthenticated = new ConnectionSlots(UNAUTHENTICATED_SLOTS);
  readonly #sockets = new ConnectionSlots({ total: MAX_SOCKETS, perOwner: MAX_SOCKETS_OF_KEY });

  constructor(backend: HttpBackend, invalidKey: (routed: RoutedRequest) => HoltError) {
    this.#backend = backend;
    this.#invalidKey = invalidKey;
  }

  /**
   * Undefined when the request became a WebSocket. `key` is null when it comes in the first
   * message.
   */
  async answer(routed: RoutedRequest, key: UpgradeKey | null): Promise<Response | undefined> {
    const { request, server } = routed;
    if (!isUpgrade(request))
      return errorResponse(
        new HoltError("EBADARGS", "this path needs a WebSocket", { hint: "send an Upgrade request" }),
        OWN_STATUSES.upgrade,
        {
          upgrade: "websocket",
        },
      );
    if (!isValidHandshake(request)) return errorResponse(invalidHandshake());
    if (server.pendingWebSockets >= MAX_SOCKETS)
      return errorResponse(
        new HoltError("EBUSY", `too many WebSockets are open: ${MAX_SOCKETS}`, { hint: "try again later" }),
        503,
        {
          "retry-after": "5",
        },
      );
    const offered = offeredProtocols(request);
    const known = offered.find((name) => PROTOCOLS.includes(name));
    // Bun would accept the first offered protocol, which may be a key, and echo it in the response.
    if (known === undefined && offered.length > 0)
      return errorResponse(
        new HoltError("EBADARGS", "unsupported WebSocket protocols", {
          hint: `offer ${PROTOCOLS.join(", ")}, or none`,
        }),
      );
    if (key !== null) await this.#requireClientRoom(routed, key);
    const slot = key === null ? this.#unauthenticatedSlot(routed.from) : this.#keySlot(key.grant);
    const headers = {
      ...safeHeaders(),
      "x-request-id": routed.correlationId,
      ...(known === undefined ? {} : { "sec-websocket-protocol": known }),
    };
    let peer: Peer | null = null;
    try {
      peer = this.#makePeer(routed, key, known === BINARY_FRAMES);
      if (server.upgrade(request, { data: { peer, slot }, headers })) return undefined;
    } catch (error) {
      slot[Symbol.dispose]();
      peer?.closed();
      throw error;
    }
    slot[Symbol.dispose]();
    peer.closed();
    return errorResponse(invalidHandshake());
  }

  #unauthenticatedSlot(from: string): Disposable {
    const slot = this.#unauthenticated.acquire(from);
    if (slot !== null) return slot;
    throw new HoltError("EBUSY", "too many WebSockets without a key", {
      hint: "send the key with the request, or try again",
    });
  }

  #keySlot({ scope, token_id }: Grant): Disposable {
    if (scope.kind === "owner") return UNLIMITED_SLOT;
    const slot = this.#sockets.acquire(token_id);
    if (slot !== null) return slot;
    throw new HoltError("ERLIMIT", `too many WebSockets are open with this key: ${MAX_SOCKETS_OF_KEY}`, {
      hint: "close one of them",
      details: { retry_after_s: 5 },
    });
  }

  /**
   * Refuses with an HTTP status when the session has no room for a client. A browser hides the
   * status from its page, which gets the error from the session's holder instead.
   */
  async #requireClientRoom({ route }: RoutedRequest, { grant, source }: UpgradeKey): Promise<void> {
    if (route?.kind !== "attach" || source === "subprotocol") return;
    requireScope(grant.scope, route.id);
    const session = this.#backend.sessions.get(route.id);
    if (isFinal(session.state)) return;
    // A holder that does not answer now is routed again by the attach, which reports why.
    const attached = await callOnce(session, "clients", {}, { answerMs: CLIENTS_ANSWER_MS }).catch(() => null);
    if (attached?.max_clients === undefined || attached.clients.length < attached.max_clients) return;
    throw new HoltError("ERLIMIT", `client limit reached: ${attached.max_clients}`, {
      hint: "`holt clients` lists them; `holt start --max-clients` sets the limit",
      details: { retry_after_s: 5 },
    });
  }

  /** Comes last, because it uses a ticket up: all other checks have passed. */
  #makePeer(routed: RoutedRequest, key: UpgradeKey | null, isBinary: boolean): Peer {
    const { route, query, from } = routed;
    const backend = this.#backend;
    const label = `web ${from}`;
    const id = route?.kind === "attach" || route?.kind === "stream" ? route.id : null;
    if (id !== null && key !== null) {
      requireScope(key.grant.scope, id);
      backend.sessions.get(id);
    }
    const invalidKey = (): HoltError => this.#invalidKey(routed);
    const use = (presented: UpgradeKey): Grant => {
      const grant = presented.use();
      if (grant === null) throw invalidKey();
      return grant;
    };
    if (route?.kind === "attach") {
      const attachQuery = parseAttachQuery(query);
      const acquireSlot = (presented: Grant): Disposable => this.#keySlot(presented);
      const grant = key === null ? null : use(key);
      return new AttachPeer({
        backend,
        id: route.id,
        grant,
        isBinary,
        label,
        acquireSlot,
        invalidKey,
        ...attachQuery,
      });
    }
    if (key === null) throw new HoltError("EUNAUTHORIZED", "no key", {});
    if (id === null) return new RpcPeer({ backend, grant: use(key), label });
    const cursor = Number(parseCursor(query) ?? "0");
    return new StreamPeer({ backend, grant: use(key), id, cursor });
  }
}

function invalidHandshake(): HoltError {
  return new HoltError("EBADARGS", "invalid WebSocket handshake", {
    hint: "RFC 6455 needs Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes",
  });
}
