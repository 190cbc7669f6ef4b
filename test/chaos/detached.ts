/** Sessions that nobody sits at, and clients of the attach protocol at their sockets. */
import { expect } from "bun:test";
import { AttachConnection, type AttachItem } from "../../src/client/attach/attach-connection.ts";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { viewerRequest } from "../../src/client/read/viewer-request.ts";
import type { AttachRequest, Replay } from "../../src/protocol/wire/attach.ts";
import type { Session } from "../../src/protocol/types/session.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { Bench } from "../support/holt.ts";
import { isAlive } from "./processes.ts";
import { until } from "./size.ts";

/** Says what it reads, line by line. Nothing else is printed: the terminal echoes nothing. */
export const ECHO = 'stty -echo; echo ready; while read -r line; do echo "got $line"; done';

export class Detached extends Bench {
  /** Of 80x24 unless told otherwise; its id. */
  async start(script: string, options: readonly string[] = []): Promise<string> {
    const args = [
      "start",
      ...(options.includes("--size") || options.includes("--no-pty") ? [] : ["--size", "80x24"]),
      ...options,
      "--",
      "bash",
      "-c",
      script,
    ];
    const { text, stderr, exitCode } = await this.run(args);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return text.trim();
  }

  session(id: string): Session {
    return new LocalSessions(layoutAt(this.state)).get(id);
  }

  holder(id: string): number {
    return this.meta(id).holder.pid;
  }

  async watch(id: string, request: Partial<AttachRequest> = {}): Promise<Watcher> {
    return Watcher.attach(this.session(id), request);
  }

  async end(...ids: string[]): Promise<void> {
    const holders = ids.map((id) => this.holder(id));
    await this.run(["kill", ...ids]);
    await until("the holders are gone", () => !holders.some(isAlive));
  }
}

/** More of what it was shown is forgotten. */
const MAX_TEXT = 256 * 1024;

/** Attached, and reads all it is sent. */
export class Watcher implements Disposable {
  readonly #attached: AttachConnection;
  readonly #decoder = new TextDecoder();
  readonly #over = Promise.withResolvers<void>();
  /** What a terminal was sent since the last replay, the latest of it. */
  text = "";
  replays: Replay[] = [];
  bytes = 0;
  /** How it ended; null while it goes on. */
  last: AttachItem | { type: "lost" } | null = null;
  seen: (watcher: this) => void = () => {};

  private constructor(attached: AttachConnection) {
    this.#attached = attached;
    void this.#read();
  }

  static async attach(session: Session, request: Partial<AttachRequest> = {}): Promise<Watcher> {
    const whole = { ...viewerRequest("test", { once: false }), role: "driver" as const, ...request };
    return new Watcher(await AttachConnection.open(session, whole, new AbortController().signal));
  }

  type(text: string): void {
    this.#attached.input(Buffer.from(text));
  }

  resize(cols: number, rows: number): void {
    this.#attached.resize({ cols, rows, width: 0, height: 0 });
  }

  detach(): void {
    this.#attached.detach();
  }

  async sees(needle: string | RegExp, ms = 20_000): Promise<void> {
    const isSeen = (): boolean => (typeof needle === "string" ? this.text.includes(needle) : needle.test(this.text));
    try {
      await until(`sees ${String(needle)}`, () => isSeen() || this.last !== null, ms);
    } catch (error) {
      throw new Error(`saw ${JSON.stringify(this.text.slice(-2000))}`, { cause: error });
    }
    if (!isSeen()) throw new Error(`never saw ${String(needle)}: ${JSON.stringify(this.last)}`);
  }

  /** Until it is let go, or the session ends. */
  async over(): Promise<AttachItem | { type: "lost" } | null> {
    await this.#over.promise;
    return this.last;
  }

  [Symbol.dispose](): void {
    this.#attached[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    for (let item = await this.#attached.next(); this.last === null; item = await this.#attached.next())
      this.#take(item);
    this.#over.resolve();
  }

  #take(item: AttachItem | null): void {
    if (item === null) this.last = { type: "lost" };
    else if (item.type === "replay") {
      this.replays.push(item.head);
      this.#shown(item.bytes, "");
    } else if (item.type === "output") this.#shown(item.bytes, this.text);
    else if (item.type === "detached" || item.type === "end" || item.type === "refused") this.last = item;
  }

  #shown(bytes: Uint8Array, before: string): void {
    this.bytes += bytes.length;
    this.text = (before + this.#decoder.decode(bytes, { stream: true })).slice(-MAX_TEXT);
    this.seen(this);
  }
}
