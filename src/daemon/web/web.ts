/**
 * Starts and stops the HTTP server, and resumes it in the next daemon. It is served on request or
 * by configuration.
 */
import { PrivateFile } from "../../platform/fs/private-file.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { DaemonContext } from "../daemon-context.ts";
import { DaemonHttpBackend, type HttpBackendParts } from "./http-backend.ts";
import { KeyRing } from "./key-ring.ts";
import { isObject } from "./is-object.ts";
import type { MetricsServer } from "./metrics-server.ts";
import type { Served, WebServer } from "./web-server.ts";

export class Web implements Disposable {
  readonly keys: KeyRing;
  readonly #backend: DaemonHttpBackend;
  readonly #daemon: DaemonContext;
  readonly #savedFile: PrivateFile;
  #server: WebServer | null = null;
  #metrics: MetricsServer | null = null;
  /** Start and stop run in turn: the last one requested holds. */
  #turn: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(parts: Omit<HttpBackendParts, "keys">) {
    const { daemon } = parts;
    const { layout } = daemon.sessions;
    this.#daemon = daemon;
    this.keys = new KeyRing(layout.root, {
      exists: (id) => daemon.sessions.exists(id),
      createdAt: (id) => daemon.sessions.find(id)?.created_at ?? null,
    });
    this.#backend = new DaemonHttpBackend({ ...parts, keys: this.keys });
    this.#savedFile = new PrivateFile(layout.run, "web.json");
  }

  get served(): Served | null {
    return this.#server?.served ?? null;
  }

  /** True if HTTP clients may connect, which start no daemon themselves. */
  get isServing(): boolean {
    return this.#server !== null || this.#metrics !== null;
  }

  get sockets(): number {
    return this.#server?.sockets ?? 0;
  }

  /** Resumes what was requested before and what the configuration says; failures go to the log. */
  async resume(): Promise<void> {
    const { lastValid: known } = this.#daemon.settings;
    const listen = known["http.listen"];
    const saved = parseSaved(this.#savedFile.read());
    if (saved !== null || listen !== null)
      await this.#logFailure("HTTP is not served", () => this.start(saved?.listen === listen ? saved.port : null));
    if (known["metrics.listen"] !== null) await this.#logFailure("metrics are not served", () => this.#serveMetrics());
  }

  start(port: number | null): Promise<{ served: Served; wasRunning: boolean }> {
    return this.#inTurn(async () => {
      const wasRunning = this.#server !== null;
      const { served } = this.#server ?? (await this.#serve(port));
      if (port !== null && port !== 0 && port !== served.port)
        throw new HoltError("EBUSY", `already served at ${served.url}`, {
          hint: "run `holt web stop` first, then request another port",
        });
      return { served, wasRunning };
    });
  }

  /** Returns whether it was served. */
  stop(): Promise<boolean> {
    return this.#inTurn(() => {
      const wasRunning = this.#server !== null;
      this.#stopServing();
      this.#savedFile.remove();
      return wasRunning;
    });
  }

  /** Ends at once; a pending start finds that it is over. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#stopServing();
    this.#metrics?.[Symbol.dispose]();
  }

  #stopServing(): void {
    this.#server?.[Symbol.dispose]();
    this.#server = null;
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const own = this.#turn.then(work);
    this.#turn = own.catch(() => {}); // its caller gets the error
    return own;
  }

  async #logFailure(message: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#daemon.log.write("error", message, { error: String(error) });
    }
  }

  async #serveMetrics(): Promise<void> {
    const { MetricsServer } = await import("./metrics-server.ts");
    this.#metrics = new MetricsServer(this.#backend, this.#daemon.settings.get());
    this.#daemon.log.write("info", "metrics are served", { url: this.#metrics.url });
  }

  async #serve(port: number | null): Promise<WebServer> {
    const [{ WebServer }, { page }] = await Promise.all([import("./web-server.ts"), import("../../page/files.ts")]);
    if (this.#isDisposed) throw new HoltError("EBUSY", "the daemon is about to end", { hint: "try again" });
    const settings = this.#daemon.settings.get();
    const server = new WebServer({ backend: this.#backend, settings, port, page: page() });
    this.#server = server;
    this.keys.ownerToken(); // clients may look for it from now on
    const saved: SavedServer = { port: server.served.port, listen: settings["http.listen"] };
    this.#savedFile.write(`${JSON.stringify(saved)}\n`);
    this.#daemon.log.write("info", "HTTP is served", { url: server.served.url });
    return server;
  }
}

/** The last requested start, kept on disk. */
interface SavedServer {
  port: number;
  /** http.listen at that time: if it has changed, the configuration wins. */
  listen: string | null;
}

function parseSaved(text: string | null): SavedServer | null {
  try {
    const saved: unknown = JSON.parse(text ?? "");
    if (!isObject(saved) || typeof saved["port"] !== "number") return null;
    return { port: saved["port"], listen: typeof saved["listen"] === "string" ? saved["listen"] : null };
  } catch {
    return null;
  }
}
