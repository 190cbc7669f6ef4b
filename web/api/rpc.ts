/**
 * The daemon's methods, over one WebSocket that comes back by itself. A call that was under way when it was lost fails, unless it only reads: that is asked again.
 */
import { signal } from "@preact/signals";
import type { Methods } from "../../src/library/methods.ts";
import { BEARER_PROTOCOL, RPC_FRAMES, RPC_PATH } from "../../src/protocol/wire/web.ts";
import { Pulse } from "./pulse.ts";

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

export class CallError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor({ code, message, hint }: { code: string; message: string; hint: string | null }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  text: string;
  isRead: boolean;
}

type Heard = (params: Record<string, unknown>) => void;

/** "slow": there is a connection, and no answer. "refused": the key opens nothing any more. */
export type Line = "connecting" | "online" | "slow" | "offline" | "refused";

/** An export reads, too: the page has none written to a file. */
const READS = /\.(?:list|get|read|screen|replay|timeline|activity|commands|clients|info|search|wait|export)$/;
const LONGEST_PAUSE_MS = 5000;
const ANSWER_MS = 5000;
/** No call has it. */
const ASKING = 0;

export class Rpc {
  readonly line = signal<Line>("connecting");
  /** When it was last lost, or last answered where it is slow. */
  readonly lostAt = signal<number | null>(null);
  readonly #token: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #heard = new Map<string, Set<Heard>>();
  readonly #onOpen = new Set<() => void>();
  #socket: WebSocket | null = null;
  #next = 0;
  #tries = 0;
  #isOver = false;
  #pulse: Pulse | null = null;

  constructor(token: string) {
    this.#token = token;
    this.#dial();
    addEventListener("online", () => this.retry());
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const id = ++this.#next;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, text, isRead: READS.test(method) });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    });
  }

  /** Also each time that the line is back: what was missed meanwhile is to be asked for. */
  onOpen(act: () => void): () => void {
    this.#onOpen.add(act);
    if (this.line.value === "online") act();
    return () => this.#onOpen.delete(act);
  }

  on(method: string, heard: Heard): () => void {
    const all = this.#heard.get(method) ?? new Set();
    this.#heard.set(method, all.add(heard));
    return () => all.delete(heard);
  }

  retry(): void {
    if (this.line.value !== "offline") return;
    this.#tries = 0;
    this.#dial();
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }

  #dial(): void {
    if (this.#isOver || (this.#socket !== null && this.#socket.readyState <= WebSocket.OPEN)) return;
    const url = new URL(RPC_PATH, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, [RPC_FRAMES, `${BEARER_PROTOCOL}${this.#token}`]);
    this.#socket = socket;
    this.#pulse = new Pulse({
      ask: () => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ jsonrpc: "2.0", id: ASKING, method: "health.info", params: {} }));
      },
      slow: (since) => {
        if (socket.readyState !== WebSocket.OPEN) return; // it says that it is offline already
        this.lostAt.value ??= since;
        this.line.value = "slow";
      },
      dead: () => {
        socket.close();
        void this.#closed();
      },
    });
    socket.addEventListener("open", () => {
      if (this.#socket === socket) this.#opened();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket) this.#receive(String(data));
    });
    socket.addEventListener("close", () => {
      if (this.#socket === socket) void this.#closed();
    });
  }

  #opened(): void {
    this.#tries = 0;
    this.#pulse?.heard();
    this.line.value = "online";
    this.lostAt.value = null;
    for (const { text } of this.#waiting.values()) this.#socket?.send(text);
    for (const act of this.#onOpen) act();
  }

  #receive(text: string): void {
    const { id, result, error, method, params } = JSON.parse(text) as {
      id?: number;
      result?: never;
      error?: { message: string; data?: { code: string; hint: string | null } };
      method?: string;
      params?: Record<string, unknown>;
    };
    if (method !== undefined) {
      for (const heard of this.#heard.get(method) ?? []) heard(params ?? {});
      return;
    }
    this.#heardFrom();
    const waiting = this.#waiting.get(id ?? ASKING);
    this.#waiting.delete(id ?? ASKING);
    if (error === undefined) waiting?.resolve(result as never);
    else {
      const { code = "EINTERNAL", hint = null } = error.data ?? {};
      waiting?.reject(new CallError({ code, message: error.message, hint }));
    }
  }

  #heardFrom(): void {
    this.#pulse?.heard();
    if (this.line.value !== "slow") return;
    this.line.value = "online";
    this.lostAt.value = null;
  }

  async #closed(): Promise<void> {
    this.#pulse?.stop();
    if (this.#isOver) return;
    this.#socket = null;
    for (const [id, { reject, isRead }] of this.#waiting) {
      if (isRead) continue;
      this.#waiting.delete(id);
      reject(new CallError({ code: "EIO", message: "the connection was lost: whether it was done is not known", hint: "look, then try again" }));
    }
    this.lostAt.value ??= Date.now();
    this.line.value = (await this.#isRefused()) ? "refused" : "offline";
    if (this.line.value === "refused") return;
    const pause = Math.min(LONGEST_PAUSE_MS, 250 * 2 ** this.#tries++);
    setTimeout(() => this.#dial(), pause * (0.75 + Math.random() / 2));
  }

  /** A WebSocket does not tell why it was refused. */
  async #isRefused(): Promise<boolean> {
    try {
      const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
      const { status } = await fetch("/api/v1/openapi.json", { headers, signal: AbortSignal.timeout(ANSWER_MS) });
      return status === 401;
    } catch {
      return false;
    }
  }
}
