/**
 * A session's terminal over a WebSocket, as binary holder frames. Reconnects by itself, at the last
 * cursor shown.
 */
import { ATTACH_FRAME, decodeOutput, type Replay } from "../../src/protocol/wire/attach.ts";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import type { Modes } from "../../src/protocol/types/modes.ts";
import { API, BEARER_PROTOCOL, BINARY_FRAMES } from "../../src/protocol/wire/web.ts";
import { Heartbeat } from "./heartbeat.ts";

export interface AttachEvents {
  /** Replaces what was shown before. */
  replay(head: Replay, bytes: Uint8Array): void;
  /** A new size of the session; the content stays. */
  size(cols: number, rows: number): void;
  output(bytes: Uint8Array, cursor: number): void;
  modes(modes: Modes, title: string): void;
  progress(done: number, total: number): void;
  exit(outcome: { state: string; code: number | null; signal: string | null; reason: string | null }): void;
  refused(message: string): void;
  connected(isUp: boolean): void;
  /** The connection has ended and does not reconnect by itself. */
  closed(why: EndReason): void;
}

/**
 * Detached by another client; attach refused; the key is no longer valid; the session was removed.
 */
export type EndReason = "detached" | "refused" | "unauthorized" | "gone";

export interface AttachOptions {
  id: string;
  token: string;
  role: "viewer" | "driver";
  /** Null: the page does not take part in the session's size. */
  size: { cols: number; rows: number } | null;
}

/** Close codes after which a reconnect is of no use. */
const END_REASONS: ReadonlyMap<number, EndReason> = new Map([
  [1000, "detached"],
  [1008, "refused"],
  [4401, "unauthorized"],
  [4404, "gone"],
]);
/** Close code of a broken connection. */
const ABNORMAL_CLOSURE = 1006;
const MAX_PAUSE_MS = 3000;
const MAX_EARLY_MESSAGES = 1000;

export class Attach {
  readonly #options: AttachOptions;
  readonly #events: AttachEvents;
  #socket: WebSocket | null = null;
  #size: AttachOptions["size"];
  #cursor: number | null = null;
  #head: Replay | null = null;
  #parts: Uint8Array[] = [];
  #missing = 0;
  #tries = 0;
  #isPaused = false;
  #heartbeat: Heartbeat | null = null;
  #isOver = false;
  #wasOpen = false;
  #earlyInput: Uint8Array<ArrayBuffer>[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: AttachOptions, events: AttachEvents) {
    this.#options = options;
    this.#events = events;
    this.#size = options.size;
    this.#dial();
    addEventListener("online", this.#retryNow);
  }

  /** Connects again after the connection has ended. */
  reconnect(): void {
    this.#tries = 0;
    this.#dial();
  }

  input(bytes: Uint8Array): void {
    this.#send(ATTACH_FRAME.input, bytes);
  }

  resize(cols: number, rows: number): void {
    if (this.#size?.cols === cols && this.#size.rows === rows) return;
    this.#size = { cols, rows };
    this.#send(ATTACH_FRAME.resize, new TextEncoder().encode(JSON.stringify({ cols, rows })));
  }

  /** Pauses the output; after the resume the holder sends an update. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#sendControl(isPaused ? "pause" : "resume");
  }

  close(): void {
    this.#isOver = true;
    removeEventListener("online", this.#retryNow);
    this.#heartbeat?.stop();
    this.#socket?.close();
  }

  readonly #retryNow = (): void => {
    if (this.#socket === null && this.#timer !== null) this.reconnect();
  };

  #send(type: number, payload: Uint8Array): void {
    const message = new Uint8Array(1 + payload.length);
    message[0] = type;
    message.set(payload, 1);
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket.send(message);
    // Keys typed while the first connection opens are kept. After a lost connection the page says
    // that input is not sent.
    if (!this.#wasOpen && this.#earlyInput.length < MAX_EARLY_MESSAGES) this.#earlyInput.push(message);
  }

  #sendControl(type: "pause" | "resume" | "ping"): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type }));
  }

  #opened(): void {
    this.#wasOpen = true;
    this.#heartbeat?.received();
    if (this.#isPaused) this.#sendControl("pause"); // a new connection starts unpaused
    for (const message of this.#earlyInput.splice(0)) this.#socket?.send(message);
    this.#events.connected(true);
  }

  #dial(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { id, token, role } = this.#options;
    const url = new URL(`${API}/pty/sessions/${encodeURIComponent(id)}/attach`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("role", role);
    if (this.#size !== null) {
      url.searchParams.set("cols", String(this.#size.cols));
      url.searchParams.set("rows", String(this.#size.rows));
    }
    if (this.#cursor !== null) url.searchParams.set("cursor", String(this.#cursor));
    const socket = new WebSocket(url, [BINARY_FRAMES, `${BEARER_PROTOCOL}${token}`]);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#heartbeat?.stop();
    this.#heartbeat = new Heartbeat({
      ping: () => this.#sendControl("ping"),
      slow() {},
      dead: () => {
        socket.close();
        this.#closed(ABNORMAL_CLOSURE);
      },
    });
    socket.addEventListener("open", () => {
      if (this.#socket === socket) this.#opened();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket !== socket) return;
      this.#heartbeat?.received();
      if (data instanceof ArrayBuffer) this.#receive(new Uint8Array(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.#socket === socket) this.#closed(code);
    });
  }

  #receive(message: Uint8Array): void {
    const payload = message.subarray(1);
    switch (message[0]) {
      case ATTACH_FRAME.output: {
        const output = decodeOutput(payload);
        if (output === null) return;
        this.#cursor = output.next;
        this.#tries = 0;
        return this.#events.output(output.bytes, output.next);
      }
      case ATTACH_FRAME.replay:
        this.#head = json(payload) as unknown as Replay;
        this.#missing = this.#head.bytes;
        this.#parts = [];
        return this.#replayed();
      case ATTACH_FRAME.replayData:
        this.#parts.push(payload);
        this.#missing -= payload.length;
        return this.#replayed();
      default:
        return this.#handleJson(message[0] ?? 0, json(payload));
    }
  }

  #handleJson(type: number, value: Record<string, unknown>): void {
    if (type === ATTACH_FRAME.modes) this.#events.modes(value["modes"] as Modes, String(value["title"]));
    else if (type === ATTACH_FRAME.progress) this.#events.progress(Number(value["done"]), Number(value["total"]));
    else if (type === FRAME.end) {
      this.#isOver = true;
      this.#events.exit(value as unknown as Parameters<AttachEvents["exit"]>[0]);
    } else if (type === FRAME.error) this.#events.refused(String(value["message"]));
  }

  #replayed(): void {
    const head = this.#head;
    if (head === null || this.#missing > 0) return;
    this.#head = null;
    const isResumed = this.#cursor !== null && head.bytes === 0;
    this.#cursor = Number(head.cursor);
    const bytes = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts.splice(0)) {
      bytes.set(part, at);
      at += part.length;
    }
    if (isResumed) this.#events.size(head.cols, head.rows);
    else this.#events.replay(head, bytes);
  }

  #closed(code: number): void {
    this.#heartbeat?.stop();
    this.#socket = null;
    if (this.#isOver) return;
    this.#events.connected(false);
    const reason = END_REASONS.get(code);
    if (reason !== undefined) return this.#events.closed(reason);
    const pause = Math.min(MAX_PAUSE_MS, 250 * 2 ** this.#tries++);
    this.#timer = setTimeout(() => {
      if (!this.#isOver) this.#dial();
    }, pause);
  }
}

function json(payload: Uint8Array): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
}
