/** Requests that become WebSockets: which peer each gets, and how many there may be. */
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
/** Of a key to one session. The owner's may have all that there are. */
const MAX_SOCKETS_OF_KEY = 32;
/** Who is to show a key in the first message waits in one of these: who has none to show cannot use up the sockets of the others. */
const UNAUTHENTICATED_SLOTS = { most: 64, ofEach: 16 };
const CLIENTS_ANSWER_MS = 1000;
const PROTOCOLS = [JSON_FRAMES, BINARY_FRAMES, RPC_FRAMES];

export type Server = Bun.Server<SocketData>;

/** A request, its sender's address and its correlation id. */
export interface IncomingRequest {
  request: Request;
  from: string;
  /** The caller's own X-Request-Id, or a new one. */
  correlationId: string;
}

export interface RoutedRequest extends IncomingRequest {
  server: Server;
  route: Route | null;
  query: URLSearchParams;
}

/** What came with the request. */
export interface UpgradeKey {
  grant: Grant;
  /** Uses it up, where it is a ticket; null where somebody was faster. */
  use: () => Grant | null;
  source: PresentedKey["source"];
}

export class Upgrades {
  readonly #backend: HttpBackend;
  readonly #invalidKey: (asked: RoutedRequest) => HoltError;
  readonly #unauthenticated = new ConnectionSlots(UNAUTHENTICATED_SLOTS);
  readonly #sockets = new ConnectionSlots({ most: MAX_SOCKETS, ofEach: MAX_SOCKETS_OF_KEY });

  constructor(backend: HttpBackend, wrongKey: (asked: RoutedRequest) => HoltError) {
    this.#backend = backend;
    this.#invalidKey = wrongKey;
  }

  /** Undefined once it is a WebSocket. `entry`: null where the key is shown in the first message. */
  async answer(asked: RoutedRequest, entry: UpgradeKey | null): Promise<Response | undefined> {
    const { request, server } = asked;
    if (!isUpgrade(request))
      return errorResponse(
        new HoltError("EBADARGS", "this is a WebSocket", { hint: "ask for an upgrade" }),
        OWN_STATUSES.upgrade,
        {
          upgrade: "websocket",
        },
      );
    if (!isValidHandshake(request)) return errorResponse(invalidHandshake());
    if (server.pendingWebSockets >= MAX_SOCKETS)
      return errorResponse(
        new HoltError("EBUSY", `${MAX_SOCKETS} WebSockets are open`, { hint: "try again later" }),
        503,
        {
          "retry-after": "5",
        },
      );
    const offered = offeredProtocols(request);
    const known = offered.find((name) => PROTOCOLS.includes(name));
    // The runtime would agree on the first, which may be a key, and say so to everybody on the way.
    if (known === undefined && offered.length > 0)
      return errorResponse(
        new HoltError("EBADARGS", "none of the protocols that are offered is spoken here", {
          hint: `offer ${PROTOCOLS.join(", ")}, or none`,
        }),
      );
    if (entry !== null) await this.#requireClientRoom(asked, entry);
    const place = entry === null ? this.#unauthenticatedSlot(asked.from) : this.#keySlot(entry.grant);
    const headers = {
      ...safeHeaders(),
      "x-request-id": asked.correlationId,
      ...(known === undefined ? {} : { "sec-websocket-protocol": known }),
    };
    let peer: Peer | null = null;
    try {
      peer = this.#makePeer(asked, entry, known === BINARY_FRAMES);
      if (server.upgrade(request, { data: { peer, slot: place }, headers })) return undefined;
    } catch (error) {
      place[Symbol.dispose]();
      peer?.closed();
      throw error;
    }
    place[Symbol.dispose]();
    peer.closed();
    return errorResponse(invalidHandshake());
  }

  #unauthenticatedSlot(from: string): Disposable {
    const place = this.#unauthenticated.acquire(from);
    if (place !== null) return place;
    throw new HoltError("EBUSY", "too many wait to show a key", { hint: "send it with the request, or try again" });
  }

  #keySlot({ scope, token_id }: Grant): Disposable {
    if (scope.kind === "owner") return UNLIMITED_SLOT;
    const place = this.#sockets.acquire(token_id);
    if (place !== null) return place;
    throw new HoltError("ERLIMIT", `${MAX_SOCKETS_OF_KEY} WebSockets are open with this key`, {
      hint: "close one of them",
      details: { retry_after_s: 5 },
    });
  }

  /** A program is told with the status. A browser shows none of that to its page, which hears it from the session's holder. */
  async #requireClientRoom({ route }: RoutedRequest, { grant: found, source: way }: UpgradeKey): Promise<void> {
    if (route?.kind !== "attach" || way === "protocol") return;
    requireScope(found.scope, route.id);
    const session = this.#backend.sessions.get(route.id);
    if (isFinal(session.state)) return;
    // Whoever cannot be asked now is asked again by whoever attaches, who then says why.
    const asked = await callOnce(session, "clients", {}, { answerMs: CLIENTS_ANSWER_MS }).catch(() => null);
    if (asked?.max_clients === undefined || asked.clients.length < asked.max_clients) return;
    throw new HoltError("ERLIMIT", `as many are attached as may be: ${asked.max_clients}`, {
      hint: "`holt clients` lists them; `holt start --max-clients` sets how many there may be",
      details: { retry_after_s: 5 },
    });
  }

  /** The last that a request needs: its ticket is used up here, once nothing else is wrong with it. */
  #makePeer(asked: RoutedRequest, entry: UpgradeKey | null, isBinary: boolean): Peer {
    const { route, query, from } = asked;
    const backend = this.#backend;
    const label = `web ${from}`;
    const id = route?.kind === "attach" || route?.kind === "stream" ? route.id : null;
    if (id !== null && entry !== null) {
      requireScope(entry.grant.scope, id);
      backend.sessions.get(id);
    }
    const wrongKey = (): HoltError => this.#invalidKey(asked);
    const use = ({ use: open }: UpgradeKey): Grant => {
      const grant = open();
      if (grant === null) throw wrongKey();
      return grant;
    };
    if (route?.kind === "attach") {
      const terms = parseAttachQuery(query);
      const placeOf = (shown: Grant): Disposable => this.#keySlot(shown);
      const grant = entry === null ? null : use(entry);
      return new AttachPeer({
        backend,
        id: route.id,
        grant,
        isBinary,
        label,
        acquireSlot: placeOf,
        invalidKey: wrongKey,
        ...terms,
      });
    }
    if (entry === null) throw new HoltError("EUNAUTHORIZED", "no key", {});
    if (id === null) return new RpcPeer({ backend, grant: use(entry), label });
    const cursor = Number(parseCursor(query) ?? "0");
    return new StreamPeer({ backend, grant: use(entry), id, cursor });
  }
}

function invalidHandshake(): HoltError {
  return new HoltError("EBADARGS", "that is no upgrade to a WebSocket", {
    hint: "RFC 6455: Sec-WebSocket-Version: 13, and a Sec-WebSocket-Key of 16 bytes",
  });
}
