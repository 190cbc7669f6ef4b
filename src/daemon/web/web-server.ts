/** The daemon's HTTP server; loaded when it is first started. */
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
import { listenAt, listening, REUSE_PORT } from "./listening.ts";

/** Closes slow clients. A long call is not closed: Bun counts only while bytes are due. */
const IDLE_SECONDS = 10;
const SOCKET_IDLE_SECONDS = 60;
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const BUSY_REQUESTS = 200;
const LAST_ANSWERS_MS = 200;
/** Above this Bun refuses the body itself; below it the answer says what is too large. */
const REFUSED_BYTES = 2 * MAX_BODY_BYTES;

export interface Served {
  url: string;
  address: string;
  port: number;
  tls: boolean;
}

export interface WebServerOptions {
  backend: HttpBackend;
  settings: Settings;
  /** Null: the port of the settings. */
  port: number | null;
  page: ReadonlyMap<string, PageFile>;
}

export class WebServer implements Disposable {
  readonly served: Served;
  readonly #server: Bun.Server<SocketData>;
  #mcp: McpOverHttp | null = null;
  /** Requests so far; -1 once the JIT is enabled. */
  #requests = 0;
  #isDisposed = false;

  constructor({ backend, settings, port, page }: WebServerOptions) {
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
        reusePort: REUSE_PORT,
        fetch: (request, server) => {
          if (this.#isDisposed || surface === null) return withRequestId(httpIsOff(), requestIdOf(request, backend));
          this.#count(request);
          return surface.answer(request, server);
        },
        error: () => withRequestId(internalError(), backend.newCorrelationId()),
        websocket: {
          ...SOCKET_HANDLERS,
          maxPayloadLength: MAX_BODY_BYTES,
          idleTimeout: SOCKET_IDLE_SECONDS,
          sendPings: true,
          perMessageDeflate: false,
          // Senders check for room, so this is never reached; dropping a message instead would
          // leave an unreported gap.
          backpressureLimit: MAX_UNSENT_BYTES,
          closeOnBackpressureLimit: true,
        },
      }),
    );
    const own = this.#server.port ?? listen.port;
    const bound = { address: listen.address, port: own, tls: tls !== null, hosts: () => backend.settings.hosts };
    surface = new HttpSurface({
      backend,
      guard: new OriginGuard(bound),
      page: new PageFiles(page),
      mcp: async (request, grant, id) => (await this.#mcpFor(backend)).answer(request, grant, id),
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

  /**
   * New requests are refused at once; answers in progress, such as that of web.stop, get a moment.
   */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    void this.#server.stop();
    setTimeout(() => {
      void this.#server.stop(true);
      this.#mcp?.[Symbol.dispose]();
    }, LAST_ANSWERS_MS).unref();
  }

  /** WebSockets and many requests are worth compiling for. */
  #count(request: Request): void {
    if (this.#requests < 0) return;
    if (++this.#requests < BUSY_REQUESTS && !request.headers.has("upgrade")) return;
    this.#requests = -1;
    Bun.unsafe.setJITPolicy(1);
  }

  /** Loaded with the first MCP request. */
  async #mcpFor(backend: HttpBackend): Promise<McpOverHttp> {
    const { McpOverHttp: Mcp } = await import("../../surfaces/mcp/http/over-http.ts");
    this.#mcp ??= new Mcp(backend);
    return this.#mcp;
  }
}

const TLS_KEYS = "http.tls_cert, http.tls_key";

function tlsIn(settings: Settings): { cert: string; key: string } | null {
  const { "http.tls_cert": cert, "http.tls_key": key } = settings;
  if (cert === null && key === null) return null;
  if (cert === null || key === null)
    throw new HoltError("EBADARGS", "http.tls_cert and http.tls_key go together", { hint: "set both or neither" });
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

/** Without this check Bun would report the error in its own words, on the first connection. */
function requirePair({ cert, key }: { cert: string; key: string }): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  } catch (error) {
    throw new HoltError("EBADARGS", "http.tls_cert and http.tls_key are not a certificate and key in PEM", {
      hint: "include the BEGIN and END lines; the key must have no passphrase",
      cause: error,
    });
  }
  throw new HoltError("EBADARGS", "http.tls_key is not the key of http.tls_cert", { hint: TLS_KEYS });
}
