/** Requests that become WebSockets: which peer each gets, and how many there may be. */
import { callOnce } from "../../client/holder/holder-call.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal } from "../../protocol/types/session.ts";
import { BINARY_FRAMES, JSON_FRAMES, RPC_FRAMES } from "../../protocol/wire/web.ts";
import { AttachPeer } from "../websocket/attach-peer.ts";
import type { Peer, SocketData } from "../websocket/peer.ts";
import { NO_PLACE, Places } from "../websocket/connection-slots.ts";
import { RpcPeer } from "../websocket/rpc-peer.ts";
import { StreamPeer } from "../websocket/stream-peer.ts";
import { attachTerms, cursorIn } from "./attach-terms.ts";
import { failed, OWN_STATUSES, safeHeaders } from "./envelope.ts";
import type { House, Opened } from "./backend.ts";
import type { Route } from "./routes.ts";
import { requireScope } from "./scope.ts";
import { isHandshake, isUpgrade, protocolsIn, type Shown } from "./request-token.ts";

const MAX_SOCKETS = 2000;
/** Of a key to one session. The owner's may have all that there are. */
const MAX_SOCKETS_OF_KEY = 32;
/** Who is to show a key in the first message waits in one of these: who has none to show cannot use up the sockets of the others. */
const LOBBY = { most: 64, ofEach: 16 };
const ROOM_MS = 1000;
const PROTOCOLS = [JSON_FRAMES, BINARY_FRAMES, RPC_FRAMES];

export type Server = Bun.Server<SocketData>;

/** A request, its sender's address and its correlation id. */
export interface Visit {
  request: Request;
  from: string;
  /** The caller's own X-Request-Id, or a new one. */
  correlationId: string;
}

export interface Asked extends Visit {
  server: Server;
  route: Route | null;
  query: URLSearchParams;
}

/** What came with the request. */
export interface Entry {
  found: Opened;
  /** Uses it up, where it is a ticket; null where somebody was faster. */
  open: () => Opened | null;
  way: Shown["way"];
}

export class Upgrades {
  readonly #house: House;
  readonly #wrongKey: (asked: Asked) => HoltError;
  readonly #lobby = new Places(LOBBY);
  readonly #sockets = new Places({ most: MAX_SOCKETS, ofEach: MAX_SOCKETS_OF_KEY });

  constructor(house: House, wrongKey: (asked: Asked) => HoltError) {
    this.#house = house;
    this.#wrongKey = wrongKey;
  }

  /** Undefined once it is a WebSocket. `entry`: null where the key is shown in the first message. */
  async answer(asked: Asked, entry: Entry | null): Promise<Response | undefined> {
    const { request, server } = asked;
    if (!isUpgrade(request))
      return failed(
        new HoltError("EBADARGS", "this is a WebSocket", { hint: "ask for an upgrade" }),
        OWN_STATUSES.upgrade,
        {
          upgrade: "websocket",
        },
      );
    if (!isHandshake(request)) return failed(noHandshake());
    if (server.pendingWebSockets >= MAX_SOCKETS)
      return failed(new HoltError("EBUSY", `${MAX_SOCKETS} WebSockets are open`, { hint: "try again later" }), 503, {
        "retry-after": "5",
      });
    const offered = protocolsIn(request);
    const known = offered.find((name) => PROTOCOLS.includes(name));
    // The runtime would agree on the first, which may be a key, and say so to everybody on the way.
    if (known === undefined && offered.length > 0)
      return failed(
        new HoltError("EBADARGS", "none of the protocols that are offered is spoken here", {
          hint: `offer ${PROTOCOLS.join(", ")}, or none`,
        }),
      );
    if (entry !== null) await this.#requireRoom(asked, entry);
    const place = entry === null ? this.#lobbyPlace(asked.from) : this.#placeOf(entry.found);
    const headers = {
      ...safeHeaders(),
      "x-request-id": asked.correlationId,
      ...(known === undefined ? {} : { "sec-websocket-protocol": known }),
    };
    let peer: Peer | null = null;
    try {
      peer = this.#peerFor(asked, entry, known === BINARY_FRAMES);
      if (server.upgrade(request, { data: { peer, place }, headers })) return undefined;
    } catch (error) {
      place[Symbol.dispose]();
      peer?.closed();
      throw error;
    }
    place[Symbol.dispose]();
    peer.closed();
    return failed(noHandshake());
  }

  #lobbyPlace(from: string): Disposable {
    const place = this.#lobby.enter(from);
    if (place !== null) return place;
    throw new HoltError("EBUSY", "too many wait to show a key", { hint: "send it with the request, or try again" });
  }

  #placeOf({ scope, token_id }: Opened): Disposable {
    if (scope.kind === "owner") return NO_PLACE;
    const place = this.#sockets.enter(token_id);
    if (place !== null) return place;
    throw new HoltError("ERLIMIT", `${MAX_SOCKETS_OF_KEY} WebSockets are open with this key`, {
      hint: "close one of them",
      details: { retry_after_s: 5 },
    });
  }

  /** A program is told with the status. A browser shows none of that to its page, which hears it from the session's holder. */
  async #requireRoom({ route }: Asked, { found, way }: Entry): Promise<void> {
    if (route?.kind !== "attach" || way === "protocol") return;
    requireScope(found.scope, route.id);
    const session = this.#house.sessions.get(route.id);
    if (isFinal(session.state)) return;
    // Whoever cannot be asked now is asked again by whoever attaches, who then says why.
    const asked = await callOnce(session, "clients", {}, { answerMs: ROOM_MS }).catch(() => null);
    if (asked?.max_clients === undefined || asked.clients.length < asked.max_clients) return;
    throw new HoltError("ERLIMIT", `as many are attached as may be: ${asked.max_clients}`, {
      hint: "`holt clients` lists them; `holt start --max-clients` sets how many there may be",
      details: { retry_after_s: 5 },
    });
  }

  /** The last that a request needs: its ticket is used up here, once nothing else is wrong with it. */
  #peerFor(asked: Asked, entry: Entry | null, isBinary: boolean): Peer {
    const { route, query, from } = asked;
    const house = this.#house;
    const label = `web ${from}`;
    const id = route?.kind === "attach" || route?.kind === "stream" ? route.id : null;
    if (id !== null && entry !== null) {
      requireScope(entry.found.scope, id);
      house.sessions.get(id);
    }
    const wrongKey = (): HoltError => this.#wrongKey(asked);
    const use = ({ open }: Entry): Opened => {
      const opened = open();
      if (opened === null) throw wrongKey();
      return opened;
    };
    if (route?.kind === "attach") {
      const terms = attachTerms(query);
      const placeOf = (shown: Opened): Disposable => this.#placeOf(shown);
      const opened = entry === null ? null : use(entry);
      return new AttachPeer({ house, id: route.id, opened, isBinary, label, placeOf, wrongKey, ...terms });
    }
    if (entry === null) throw new HoltError("EUNAUTHORIZED", "no key", {});
    if (id === null) return new RpcPeer({ house, opened: use(entry), label });
    const cursor = Number(cursorIn(query) ?? "0");
    return new StreamPeer({ house, opened: use(entry), id, cursor });
  }
}

function noHandshake(): HoltError {
  return new HoltError("EBADARGS", "that is no upgrade to a WebSocket", {
    hint: "RFC 6455: Sec-WebSocket-Version: 13, and a Sec-WebSocket-Key of 16 bytes",
  });
}
