/** Whether HTTP is served: it is when somebody asked for it, also a daemon that is gone by now, or when the configuration says so. */
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
  readonly #house: DaemonHttpBackend;
  readonly #daemon: DaemonContext;
  readonly #wish: PrivateFile;
  #server: WebServer | null = null;
  #metrics: MetricsServer | null = null;
  /** To start and to stop take turns: what was asked for last is what holds. */
  #turn: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(parts: Omit<HttpBackendParts, "keys">) {
    const { daemon } = parts;
    const { layout } = daemon.sessions;
    this.#daemon = daemon;
    this.keys = new KeyRing(layout.root, {
      exists: (id) => daemon.sessions.exists(id),
      bornAt: (id) => daemon.sessions.find(id)?.created_at ?? null,
    });
    this.#house = new DaemonHttpBackend({ ...parts, keys: this.keys });
    this.#wish = new PrivateFile(layout.run, "web.json");
  }

  get served(): Served | null {
    return this.#server?.served ?? null;
  }

  /** Somebody may come who starts no daemon. */
  get isServing(): boolean {
    return this.#server !== null || this.#metrics !== null;
  }

  get sockets(): number {
    return this.#server?.sockets ?? 0;
  }

  /** What was asked for before, and what the configuration says. It is for the log if that cannot be had. */
  async resume(): Promise<void> {
    const { known } = this.#daemon.settings;
    const listen = known["http.listen"];
    const wish = wishIn(this.#wish.read());
    if (wish !== null || listen !== null)
      await this.#orLog("HTTP is not served", () => this.start(wish?.listen === listen ? wish.port : null));
    if (known["metrics.listen"] !== null) await this.#orLog("metrics are not served", () => this.#serveMetrics());
  }

  start(port: number | null): Promise<{ served: Served; wasRunning: boolean }> {
    return this.#inTurn(async () => {
      const wasRunning = this.#server !== null;
      const { served } = this.#server ?? (await this.#serve(port));
      if (port !== null && port !== 0 && port !== served.port)
        throw new HoltError("EBUSY", `it is served at ${served.url} already`, {
          hint: "`holt web stop` ends that, and then another port can be asked for",
        });
      return { served, wasRunning };
    });
  }

  /** Whether it was served. */
  stop(): Promise<boolean> {
    return this.#inTurn(() => {
      const wasRunning = this.#server !== null;
      this.#serveNoMore();
      this.#wish.remove();
      return wasRunning;
    });
  }

  /** At once: whoever is still to be served finds that it is over. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#serveNoMore();
    this.#metrics?.[Symbol.dispose]();
  }

  #serveNoMore(): void {
    this.#server?.[Symbol.dispose]();
    this.#server = null;
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const own = this.#turn.then(work);
    this.#turn = own.catch(() => {}); // it is told to who asked
    return own;
  }

  async #orLog(message: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#daemon.log.write("error", message, { error: String(error) });
    }
  }

  async #serveMetrics(): Promise<void> {
    const { MetricsServer } = await import("./metrics-server.ts");
    this.#metrics = new MetricsServer(this.#house, this.#daemon.settings.get());
    this.#daemon.log.write("info", "metrics are served", { url: this.#metrics.url });
  }

  async #serve(port: number | null): Promise<WebServer> {
    const [{ WebServer }, { page }] = await Promise.all([import("./web-server.ts"), import("../../page/files.ts")]);
    if (this.#isOver) throw new HoltError("EBUSY", "the daemon is about to end", { hint: "try again" });
    const settings = this.#daemon.settings.get();
    const server = new WebServer({ house: this.#house, settings, port, page: page() });
    this.#server = server;
    this.keys.ownerToken(); // there from now on, for who looks for it
    const wish: Wish = { port: server.served.port, listen: settings["http.listen"] };
    this.#wish.write(`${JSON.stringify(wish)}\n`);
    this.#daemon.log.write("info", "HTTP is served", { url: server.served.url });
    return server;
  }
}

/** What was served. */
interface Wish {
  port: number;
  /** As http.listen was then: when it has changed, that is what counts. */
  listen: string | null;
}

function wishIn(text: string | null): Wish | null {
  try {
    const wish: unknown = JSON.parse(text ?? "");
    if (!isObject(wish) || typeof wish["port"] !== "number") return null;
    return { port: wish["port"], listen: typeof wish["listen"] === "string" ? wish["listen"] : null };
  } catch {
    return null;
  }
}
