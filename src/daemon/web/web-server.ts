/** HTTP in the daemon: off until it is asked for, and loaded then. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Settings } from "../../config/keys.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { MAX_BODY_BYTES } from "../../protocol/wire/web.ts";
import { internalError, httpIsOff } from "../../surfaces/http/responses.ts";
import { OriginGuard, hostOf } from "../../surfaces/http/origin-guard.ts";
import type { HttpBackend } from "../../surfaces/http/backend.ts";
import { type PageFile, PageFiles } from "../../surfaces/http/page-files.ts";
import { requestIdOf, withRequestId } from "../../surfaces/http/request-id.ts";
import { HttpSurface } from "../../surfaces/http/surface.ts";
import type { McpOverHttp } from "../../surfaces/mcp/http/over-http.ts";
import { SOCKET_HANDLERS, type SocketData } from "../../surfaces/websocket/peer.ts";
import { listenAt, listening, NOT_SHARED } from "./listening.ts";

/** Who sends a request or reads an answer slower than this is let go. A call that takes longer is not: the runtime counts only while bytes are due. */
const IDLE_SECONDS = 10;
const SOCKET_IDLE_SECONDS = 60;
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const BUSY_REQUESTS = 200;
const LAST_ANSWERS_MS = 200;
/** Past this the runtime itself refuses; below it we say what is too much. */
const REFUSED_BYTES = 2 * MAX_BODY_BYTES;

export interface Served {
  url: string;
  address: string;
  port: number;
  tls: boolean;
}

export interface WebServerOptions {
  house: HttpBackend;
  settings: Settings;
  /** Null: as the settings say. */
  port: number | null;
  page: ReadonlyMap<string, PageFile>;
}

export class WebServer implements Disposable {
  readonly served: Served;
  readonly #server: Bun.Server<SocketData>;
  #mcp: McpOverHttp | null = null;
  /** So far; -1 once there were enough. */
  #requests = 0;
  #isOver = false;

  constructor({ house, settings, port, page }: WebServerOptions) {
    const listen = listenAt("http.listen", settings, port);
    const tls = tlsIn(settings);
    let surface: HttpSurface | null = null;
    this.#server = listening(listen, (at) =>
      Bun.serve<SocketData>({
        hostname: listen.address,
        port: at,
        ...(tls === null ? {} : { tls }),
        idleTimeout: IDLE_SECONDS,
        maxRequestBodySize: REFUSED_BYTES,
        development: false,
        reusePort: NOT_SHARED,
        fetch: (request, server) => {
          if (this.#isOver || surface === null) return withRequestId(httpIsOff(), requestIdOf(request, house));
          this.#count(request);
          return surface.answer(request, server);
        },
        error: () => withRequestId(internalError(), house.newCorrelationId()),
        websocket: {
          ...SOCKET_HANDLERS,
          maxPayloadLength: MAX_BODY_BYTES,
          idleTimeout: SOCKET_IDLE_SECONDS,
          sendPings: true,
          perMessageDeflate: false,
          // Nobody is sent so much unread, as whoever sends looks first; if it were, a message that is left out would be a gap that nobody is told of.
          backpressureLimit: MAX_UNSENT_BYTES,
          closeOnBackpressureLimit: true,
        },
      }),
    );
    const own = this.#server.port ?? listen.port;
    const place = { address: listen.address, port: own, tls: tls !== null, hosts: () => house.settings.hosts };
    surface = new HttpSurface({
      backend: house,
      guard: new OriginGuard(place),
      page: new PageFiles(page),
      mcp: async (request, opened, id) => (await this.#mcpFor(house)).answer(request, opened, id),
    });
    this.served = {
      url: `${tls === null ? "http" : "https"}://${hostOf(listen.address)}:${own}/`,
      address: listen.address,
      port: own,
      tls: tls !== null,
    };
  }

  get sockets(): number {
    return this.#server.pendingWebSockets;
  }

  /** At once for whoever comes. Whoever is being answered, be it to web.stop, has a moment to hear it. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    void this.#server.stop();
    setTimeout(() => {
      void this.#server.stop(true);
      this.#mcp?.[Symbol.dispose]();
    }, LAST_ANSWERS_MS).unref();
  }

  /** A terminal that is relayed, or many requests, are worth compiling for. */
  #count(request: Request): void {
    if (this.#requests < 0) return;
    if (++this.#requests < BUSY_REQUESTS && !request.headers.has("upgrade")) return;
    this.#requests = -1;
    Bun.unsafe.setJITPolicy(1);
  }

  /** Loaded with the first who asks for it. */
  async #mcpFor(house: HttpBackend): Promise<McpOverHttp> {
    const { McpOverHttp: Mcp } = await import("../../surfaces/mcp/http/over-http.ts");
    this.#mcp ??= new Mcp(house);
    return this.#mcp;
  }
}

const TLS_KEYS = "http.tls_cert, http.tls_key";

function tlsIn(settings: Settings): { cert: string; key: string } | null {
  const { "http.tls_cert": cert, "http.tls_key": key } = settings;
  if (cert === null && key === null) return null;
  if (cert === null || key === null)
    throw new HoltError("EBADARGS", "http.tls_cert and http.tls_key go together", { hint: "set both, or none" });
  const read = { cert: pem(cert), key: pem(key) };
  requirePair(read);
  return read;
}

function pem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HoltError("EBADARGS", `cannot read ${path}: ${errnoOf(error)}`, { hint: TLS_KEYS, cause: error });
  }
}

/** Or the runtime would tell of it in its own words, and only when somebody connects. */
function requirePair({ cert, key }: { cert: string; key: string }): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  } catch (error) {
    throw new HoltError("EBADARGS", "http.tls_cert and http.tls_key are no certificate and key in PEM", {
      hint: "with their BEGIN and END lines, and the key without a passphrase",
      cause: error,
    });
  }
  throw new HoltError("EBADARGS", "http.tls_key is not the key of http.tls_cert", { hint: TLS_KEYS });
}
