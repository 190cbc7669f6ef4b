/** A session's terminal over a WebSocket: frames of the holder, in binary. It comes back by itself, at the cursor that was shown last. */
import { ATTACH_FRAME, decodeOutput, type Replay } from "../../src/protocol/wire/attach.ts";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import type { Modes } from "../../src/protocol/types/modes.ts";
import { API, BEARER_PROTOCOL, BINARY_FRAMES } from "../../src/protocol/wire/web.ts";
import { Pulse } from "./pulse.ts";

export interface AttachEvents {
  /** What was shown before is replaced. */
  replay(head: Replay, bytes: Uint8Array): void;
  /** The session's, where what was shown stays. */
  size(cols: number, rows: number): void;
  output(bytes: Uint8Array, cursor: number): void;
  modes(modes: Modes, title: string): void;
  progress(done: number, total: number): void;
  exit(outcome: { state: string; code: number | null; signal: string | null; reason: string | null }): void;
  refused(message: string): void;
  line(isUp: boolean): void;
  /** It does not come back by itself. */
  over(why: Over): void;
}

/** Somebody ended it; it was refused; the key opens this no more; the session is gone. */
export type Over = "detached" | "refused" | "unauthorized" | "gone";

export interface AttachOptions {
  id: string;
  token: string;
  role: "viewer" | "driver";
  /** Null: it has no say in the session's. */
  size: { cols: number; rows: number } | null;
}

/** By the codes with which it is closed: to try again is of no use. */
const OVER: ReadonlyMap<number, Over> = new Map([
  [1000, "detached"],
  [1008, "refused"],
  [4401, "unauthorized"],
  [4404, "gone"],
]);
/** As a browser says it of a connection that nobody closed. */
const NOBODY = 1006;
const LONGEST_PAUSE_MS = 3000;
const MOST_EARLY = 1000;

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
  #isHeld = false;
  #pulse: Pulse | null = null;
  #isOver = false;
  #wasOpen = false;
  #early: Uint8Array<ArrayBuffer>[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: AttachOptions, events: AttachEvents) {
    this.#options = options;
    this.#events = events;
    this.#size = options.size;
    this.#dial();
    addEventListener("online", this.#hurry);
  }

  /** After it was over. */
  again(): void {
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

  /** Nothing more is sent for now, and what is shown is brought up to date afterwards. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#say(isHeld ? "pause" : "resume");
  }

  close(): void {
    this.#isOver = true;
    removeEventListener("online", this.#hurry);
    this.#pulse?.stop();
    this.#socket?.close();
  }

  readonly #hurry = (): void => {
    if (this.#socket === null && this.#timer !== null) this.again();
  };

  #send(type: number, payload: Uint8Array): void {
    const message = new Uint8Array(1 + payload.length);
    message[0] = type;
    message.set(payload, 1);
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket.send(message);
    // Who opens a session types at once. Once it was lost, the page says that what is typed is not sent.
    if (!this.#wasOpen && this.#early.length < MOST_EARLY) this.#early.push(message);
  }

  #say(type: "pause" | "resume" | "ping"): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type }));
  }

  #opened(): void {
    this.#wasOpen = true;
    this.#pulse?.heard();
    if (this.#isHeld) this.#say("pause"); // a new connection knows nothing of that
    for (const message of this.#early.splice(0)) this.#socket?.send(message);
    this.#events.line(true);
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
    this.#pulse?.stop();
    this.#pulse = new Pulse({
      ask: () => this.#say("ping"),
      slow() {},
      dead: () => {
        socket.close();
        this.#closed(NOBODY);
      },
    });
    socket.addEventListener("open", () => {
      if (this.#socket === socket) this.#opened();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket !== socket) return;
      this.#pulse?.heard();
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
        return this.#news(message[0] ?? 0, json(payload));
    }
  }

  #news(type: number, value: Record<string, unknown>): void {
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
    this.#pulse?.stop();
    this.#socket = null;
    if (this.#isOver) return;
    this.#events.line(false);
    const over = OVER.get(code);
    if (over !== undefined) return this.#events.over(over);
    const pause = Math.min(LONGEST_PAUSE_MS, 250 * 2 ** this.#tries++);
    this.#timer = setTimeout(() => {
      if (!this.#isOver) this.#dial();
    }, pause);
  }
}

function json(payload: Uint8Array): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
}
