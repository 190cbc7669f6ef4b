/**
 * The daemon's methods over one WebSocket that reconnects by itself. A call pending when the
 * connection is lost fails, unless it only reads: then it is sent again.
 */
import { signal } from "@preact/signals";
import type { Methods } from "../../src/library/methods.ts";
import { BEARER_PROTOCOL, RPC_FRAMES, RPC_PATH } from "../../src/protocol/wire/web.ts";
import { Heartbeat } from "./heartbeat.ts";

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

interface PendingCall {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  text: string;
  isRead: boolean;
}

type Listener = (params: Record<string, unknown>) => void;

/** "slow": connected, but no answer. "refused": the key is no longer valid. */
export type ConnectionStatus = "connecting" | "online" | "slow" | "offline" | "refused";

/** session.export reads as well: the page never exports to a file. */
const READS = /\.(?:list|get|read|screen|replay|timeline|activity|commands|clients|info|search|wait|export)$/;
const MAX_PAUSE_MS = 5000;
const ANSWER_MS = 5000;
/** Id of heartbeat calls; calls start at 1. */
const PING_ID = 0;

export class Rpc {
  readonly status = signal<ConnectionStatus>("connecting");
  /** When the connection was lost; for "slow", when the unanswered ping was sent. */
  readonly lostAt = signal<number | null>(null);
  readonly #token: string;
  readonly #pending = new Map<number, PendingCall>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onOpen = new Set<() => void>();
  #socket: WebSocket | null = null;
  #lastId = 0;
  #tries = 0;
  #isOver = false;
  #heartbeat: Heartbeat | null = null;

  constructor(token: string) {
    this.#token = token;
    this.#dial();
    addEventListener("online", () => this.retry());
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const id = ++this.#lastId;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, text, isRead: READS.test(method) });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    });
  }

  /** Calls `act` now if online, and after each reconnect, to fetch what was missed. */
  onOpen(act: () => void): () => void {
    this.#onOpen.add(act);
    if (this.status.value === "online") act();
    return () => this.#onOpen.delete(act);
  }

  on(method: string, listener: Listener): () => void {
    const all = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, all.add(listener));
    return () => all.delete(listener);
  }

  retry(): void {
    if (this.status.value !== "offline") return;
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
    this.#heartbeat = new Heartbeat({
      ping: () => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ jsonrpc: "2.0", id: PING_ID, method: "health.info", params: {} }));
      },
      slow: (since) => {
        if (socket.readyState !== WebSocket.OPEN) return; // already shown as offline
        this.lostAt.value ??= since;
        this.status.value = "slow";
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
    this.#heartbeat?.received();
    this.status.value = "online";
    this.lostAt.value = null;
    for (const { text } of this.#pending.values()) this.#socket?.send(text);
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
      for (const listener of this.#listeners.get(method) ?? []) listener(params ?? {});
      return;
    }
    this.#answered();
    const pending = this.#pending.get(id ?? PING_ID);
    this.#pending.delete(id ?? PING_ID);
    if (error === undefined) pending?.resolve(result as never);
    else {
      const { code = "EINTERNAL", hint = null } = error.data ?? {};
      pending?.reject(new CallError({ code, message: error.message, hint }));
    }
  }

  #answered(): void {
    this.#heartbeat?.received();
    if (this.status.value !== "slow") return;
    this.status.value = "online";
    this.lostAt.value = null;
  }

  async #closed(): Promise<void> {
    this.#heartbeat?.stop();
    if (this.#isOver) return;
    this.#socket = null;
    for (const [id, { reject, isRead }] of this.#pending) {
      if (isRead) continue;
      this.#pending.delete(id);
      reject(new CallError({ code: "EIO", message: "the connection was lost; the call may have been carried out", hint: "check the session, then try again" }));
    }
    this.lostAt.value ??= Date.now();
    this.status.value = (await this.#isRefused()) ? "refused" : "offline";
    if (this.status.value === "refused") return;
    const pause = Math.min(MAX_PAUSE_MS, 250 * 2 ** this.#tries++);
    setTimeout(() => this.#dial(), pause * (0.75 + Math.random() / 2));
  }

  /** A WebSocket does not report why it was refused: a request finds out. */
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
