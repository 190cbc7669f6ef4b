/**
 * A connection to a session's socket (protocol/wire/frames.ts, protocol/wire/attach.ts), and the
 * state that all connections share.
 */
import type { Socket } from "bun";
import { ATTACH_FRAME } from "../../protocol/wire/attach.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import {
  decodeJson,
  encodeJsonFrame,
  FRAME,
  type Frame,
  FrameParser,
  PROTOCOL_VERSION,
} from "../../protocol/wire/frames.ts";
import { VERSION } from "../../protocol/types/version.ts";
import type { Layout } from "../../transcript/layout.ts";
import { TranscriptReader } from "../../transcript/read/reader.ts";
import { RequestQueue, errorFrame } from "./request-queue.ts";
import { AttachedClient } from "../attach/attached-client.ts";
import { Clients } from "../attach/clients.ts";
import type { ControllableSession } from "./control.ts";
import { Follower } from "./follower.ts";
import { FreshOutput, LiveSource } from "./live-source.ts";
import { SendBuffer } from "./send-buffer.ts";

/** A connection that sends nothing is closed after this. */
const HELLO_SECONDS = 10;

export class SessionConnections implements Disposable {
  readonly session: ControllableSession;
  readonly fresh = new FreshOutput();
  readonly source: LiveSource;
  readonly clients: Clients;
  readonly #reader: TranscriptReader;

  constructor({ layout, session }: { layout: Layout; session: ControllableSession }) {
    const { meta, writer } = session.record;
    this.session = session;
    this.#reader = TranscriptReader.open(layout, meta.session_id);
    this.source = new LiveSource(writer, this.#reader, this.fresh);
    this.clients = new Clients(session);
  }

  begin(socket: Socket<unknown>): SessionConnection {
    socket.timeout(HELLO_SECONDS);
    return new SessionConnection(socket, this);
  }

  [Symbol.dispose](): void {
    this.clients.end();
    this.#reader[Symbol.dispose]();
  }
}

export type ConnectionContext = Pick<SessionConnections, "session" | "source" | "clients">;

export class SessionConnection {
  readonly #socket: Socket<unknown>;
  readonly #sendBuffer: SendBuffer;
  readonly #shared: ConnectionContext;
  readonly #requests: RequestQueue;
  readonly #parser = new FrameParser();
  /** Set by FOLLOW or ATTACH. */
  #reader: Follower | AttachedClient | null = null;
  #isGreeted = false;
  #hasRequested = false;
  #isOver = false;

  constructor(socket: Socket<unknown>, shared: ConnectionContext) {
    this.#socket = socket;
    this.#sendBuffer = new SendBuffer(socket);
    this.#shared = shared;
    this.#requests = new RequestQueue(shared, this.#sendBuffer);
  }

  /** A reader or a requester has not been sent everything. */
  get isPending(): boolean {
    if (this.#isOver) return false;
    const isSent = this.#reader?.done ?? this.#sendBuffer.isEmpty;
    return !isSent || this.#requests.isPending;
  }

  /** The connection has sent a frame after HELLO. */
  get hasRequested(): boolean {
    return this.#hasRequested || this.#isOver;
  }

  receive(bytes: Uint8Array): void {
    let frames: Frame[];
    try {
      frames = this.#isOver ? [] : this.#parser.push(bytes);
    } catch (error) {
      this.refuse("EBADARGS", error instanceof Error ? error.message : "bad frame");
      return;
    }
    for (const frame of frames) this.#handle(frame);
  }

  drain(): void {
    this.#sendBuffer.drain();
    this.advance();
  }

  advance(): void {
    if (!this.#isOver) this.#reader?.advance();
  }

  get #client(): AttachedClient | null {
    return this.#reader instanceof AttachedClient ? this.#reader : null;
  }

  inputDrained(): void {
    this.#client?.inputDrained();
  }

  closed(): void {
    this.#isOver = true;
    this.#requests.stop();
    this.#sendBuffer.closed();
    this.#client?.closed();
  }

  cut(): void {
    this.#socket.terminate();
  }

  timedOut(): void {
    if (this.#reader === null) this.#socket.end();
  }

  refuse(code: string, message: string): void {
    this.#sendBuffer.send(encodeJsonFrame(FRAME.error, { code, message }));
    this.#isOver = true;
    this.#requests.stop();
    this.#client?.closed();
    this.#sendBuffer.end();
  }

  #handle(frame: Frame): void {
    if (this.#isOver) return;
    if (!this.#isGreeted) this.#greet(frame);
    else if (frame.type !== ATTACH_FRAME.input || this.#client?.receive(frame) !== true)
      this.#handleFrame(frame, decodeJson(frame.payload));
  }

  #greet({ type, payload }: Frame): void {
    if (type !== FRAME.hello || typeof decodeJson(payload)?.["protocol"] !== "number") {
      this.refuse("EBADARGS", "the first frame must be HELLO");
      return;
    }
    this.#isGreeted = true;
    const { session_id } = this.#shared.session.record.meta;
    this.#sendBuffer.send(
      encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION, session_id }),
    );
  }

  #handleFrame(frame: Frame, value: Record<string, unknown> | null): void {
    this.#hasRequested = true;
    if (frame.type === FRAME.request) this.#answer(value);
    else if (frame.type === FRAME.follow) this.#follow(value);
    else if (frame.type === ATTACH_FRAME.attach) this.#attach(value);
    else if (this.#client?.receive(frame) !== true)
      this.#sendErrorFrame("EBADARGS", `unknown frame type ${frame.type}`);
  }

  #follow(value: Record<string, unknown> | null): void {
    const cursor = parseCursor(value?.["cursor"]);
    if (cursor === null || this.#client !== null) {
      this.refuse("EBADARGS", "FOLLOW needs a cursor (a decimal string)");
      return;
    }
    this.#socket.timeout(0);
    this.#reader = new Follower(this.#sendBuffer, this.#shared.source, cursor);
    this.#reader.advance();
  }

  #attach(value: Record<string, unknown> | null): void {
    try {
      if (this.#reader !== null) throw new HoltError("EBADARGS", "this connection has sent FOLLOW or ATTACH before");
      this.#socket.timeout(0);
      this.#reader = new AttachedClient(this.#shared, value, this.#socket, this.#sendBuffer);
    } catch (error) {
      this.#sendBuffer.send(errorFrame(error));
      this.#isOver = true;
      this.#socket.end();
    }
  }

  #answer(request: Record<string, unknown> | null): void {
    const { id, method, params } = request ?? {};
    if (typeof id !== "number" || typeof method !== "string") {
      this.#sendErrorFrame("EBADARGS", "REQUEST needs an id (a number) and a method");
      return;
    }
    if (this.#sendBuffer.isFull) {
      this.refuse("ERLIMIT", "the client does not read its answers");
      return;
    }
    // A connection that sends requests needs no FOLLOW to stay open.
    this.#socket.timeout(0);
    const given = typeof params === "object" && params !== null ? { ...params } : {};
    if (!this.#requests.take({ id, method, params: given })) this.refuse("ERLIMIT", "too many requests at once");
  }

  /** A client that sends invalid frames and reads nothing is disconnected before errors pile up. */
  #sendErrorFrame(code: string, message: string): void {
    if (this.#sendBuffer.isFull) this.refuse("ERLIMIT", message);
    else this.#sendBuffer.send(encodeJsonFrame(FRAME.error, { code, message }));
  }
}

function parseCursor(value: unknown): number | null {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
