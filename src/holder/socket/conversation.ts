/** What is said on a connection to a session's socket (protocol/wire/frames.ts, protocol/wire/attach.ts). */
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
import { Answers, errorFrame } from "./answers.ts";
import { AttachedClient } from "../attach/attached-client.ts";
import { Clients } from "../attach/clients.ts";
import type { Controlled } from "./control.ts";
import { Follower } from "./follower.ts";
import { FreshOutput, LiveSource } from "./live-source.ts";
import { Outbox } from "./outbox.ts";

/** A connection that says nothing is let go. */
const HELLO_SECONDS = 10;

export class Conversations implements Disposable {
  readonly session: Controlled;
  readonly fresh = new FreshOutput();
  readonly source: LiveSource;
  readonly clients: Clients;
  readonly #reader: TranscriptReader;

  constructor({ layout, session }: { layout: Layout; session: Controlled }) {
    const { meta, writer } = session.record;
    this.session = session;
    this.#reader = TranscriptReader.open(layout, meta.session_id);
    this.source = new LiveSource(writer, this.#reader, this.fresh);
    this.clients = new Clients(session);
  }

  begin(socket: Socket<unknown>): Conversation {
    socket.timeout(HELLO_SECONDS);
    return new Conversation(socket, this);
  }

  [Symbol.dispose](): void {
    this.clients.end();
    this.#reader[Symbol.dispose]();
  }
}

export type Shared = Pick<Conversations, "session" | "source" | "clients">;

export class Conversation {
  readonly #socket: Socket<unknown>;
  readonly #outbox: Outbox;
  readonly #shared: Shared;
  readonly #answers: Answers;
  readonly #parser = new FrameParser();
  /** What this connection is for, once it has said so. */
  #reader: Follower | AttachedClient | null = null;
  #isGreeted = false;
  #hasAsked = false;
  #isOver = false;

  constructor(socket: Socket<unknown>, shared: Shared) {
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#shared = shared;
    this.#answers = new Answers(shared, this.#outbox);
  }

  /** It reads, or has asked, and has not been sent everything. */
  get isOwed(): boolean {
    if (this.#isOver) return false;
    const isSent = this.#reader?.done ?? this.#outbox.isEmpty;
    return !isSent || this.#answers.areOwed;
  }

  /** It has said what it is here for. */
  get hasAsked(): boolean {
    return this.#hasAsked || this.#isOver;
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
    this.#outbox.drain();
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
    this.#answers.stop();
    this.#outbox.closed();
    this.#client?.closed();
  }

  cut(): void {
    this.#socket.terminate();
  }

  timedOut(): void {
    if (this.#reader === null) this.#socket.end();
  }

  refuse(code: string, message: string): void {
    this.#outbox.send(encodeJsonFrame(FRAME.error, { code, message }));
    this.#isOver = true;
    this.#answers.stop();
    this.#client?.closed();
    this.#outbox.end();
  }

  #handle(frame: Frame): void {
    if (this.#isOver) return;
    if (!this.#isGreeted) this.#greet(frame);
    else if (frame.type !== ATTACH_FRAME.input || this.#client?.receive(frame) !== true)
      this.#take(frame, decodeJson(frame.payload));
  }

  #greet({ type, payload }: Frame): void {
    if (type !== FRAME.hello || typeof decodeJson(payload)?.["protocol"] !== "number") {
      this.refuse("EBADARGS", "the first frame must be HELLO");
      return;
    }
    this.#isGreeted = true;
    const { session_id } = this.#shared.session.record.meta;
    this.#outbox.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION, session_id }));
  }

  #take(frame: Frame, value: Record<string, unknown> | null): void {
    this.#hasAsked = true;
    if (frame.type === FRAME.request) this.#answer(value);
    else if (frame.type === FRAME.follow) this.#follow(value);
    else if (frame.type === ATTACH_FRAME.attach) this.#attach(value);
    else if (this.#client?.receive(frame) !== true) this.#complain("EBADARGS", `unknown frame type ${frame.type}`);
  }

  #follow(value: Record<string, unknown> | null): void {
    const cursor = parseCursor(value?.["cursor"]);
    if (cursor === null || this.#client !== null) {
      this.refuse("EBADARGS", "FOLLOW needs a cursor: a decimal string");
      return;
    }
    this.#socket.timeout(0);
    this.#reader = new Follower(this.#outbox, this.#shared.source, cursor);
    this.#reader.advance();
  }

  #attach(value: Record<string, unknown> | null): void {
    try {
      if (this.#reader !== null) throw new HoltError("EBADARGS", "this connection reads already");
      this.#socket.timeout(0);
      this.#reader = new AttachedClient(this.#shared, value, this.#socket, this.#outbox);
    } catch (error) {
      this.#outbox.send(errorFrame(error));
      this.#isOver = true;
      this.#socket.end();
    }
  }

  #answer(request: Record<string, unknown> | null): void {
    const { id, method, params } = request ?? {};
    if (typeof id !== "number" || typeof method !== "string") {
      this.#complain("EBADARGS", "REQUEST needs an id (a number) and a method");
      return;
    }
    if (this.#outbox.lags) {
      this.refuse("ERLIMIT", "answers are not read");
      return;
    }
    // Who asks for something needs no cursor to stay.
    this.#socket.timeout(0);
    const given = typeof params === "object" && params !== null ? { ...params } : {};
    if (!this.#answers.take({ id, method, params: given })) this.refuse("ERLIMIT", "too many questions at once");
  }

  /** Somebody who sends nonsense and reads nothing is let go before the answers pile up. */
  #complain(code: string, message: string): void {
    if (this.#outbox.lags) this.refuse("ERLIMIT", message);
    else this.#outbox.send(encodeJsonFrame(FRAME.error, { code, message }));
  }
}

function parseCursor(value: unknown): number | null {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
