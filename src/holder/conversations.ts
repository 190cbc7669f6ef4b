/** What is said to those connected to the holder's socket (protocol/frames.ts). */
import type { Socket } from "bun";
import { decodeJson, encodeJsonFrame, FRAME, type Frame, FrameParser, PROTOCOL_VERSION } from "../protocol/frames.ts";
import type { SessionState } from "../protocol/session.ts";
import { VERSION } from "../protocol/version.ts";
import { TranscriptReader } from "../transcript/reader.ts";
import { HoltError } from "../protocol/errors.ts";
import { answer } from "./control.ts";
import { Follower } from "./follower.ts";
import type { LiveSocketOptions } from "./live-socket.ts";

/** A connection that says nothing is let go. */
const HELLO_SECONDS = 10;

export class Conversations implements Disposable {
  readonly #options: LiveSocketOptions;
  readonly #reader: TranscriptReader;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#reader = TranscriptReader.open(options.layout, options.sessionId);
  }

  begin(socket: Socket<unknown>): Conversation {
    socket.timeout(HELLO_SECONDS);
    const follower = new Follower(socket, { writer: this.#options.writer, reader: this.#reader });
    return new Conversation(socket, follower, this.#options);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }
}

export class Conversation {
  readonly #socket: Socket<unknown>;
  readonly #follower: Follower;
  readonly #options: LiveSocketOptions;
  readonly #parser = new FrameParser();
  #isGreeted = false;
  #isOver = false;

  constructor(socket: Socket<unknown>, follower: Follower, options: LiveSocketOptions) {
    this.#socket = socket;
    this.#follower = follower;
    this.#options = options;
  }

  /** It follows, and has not been sent everything. */
  get isOwed(): boolean {
    return !this.#isOver && this.#follower.following && !this.#follower.done;
  }

  receive(bytes: Uint8Array, final: SessionState | null): void {
    let frames: Frame[];
    try {
      frames = this.#isOver ? [] : this.#parser.push(bytes);
    } catch (error) {
      this.refuse("EBADARGS", error instanceof Error ? error.message : "bad frame");
      return;
    }
    for (const frame of frames) this.#handle(frame, final);
  }

  drain(final: SessionState | null): void {
    this.#follower.drain();
    this.#follower.advance(final);
  }

  advance(final: SessionState | null): void {
    if (!this.#isOver) this.#follower.advance(final);
  }

  timedOut(): void {
    if (!this.#follower.following) this.#socket.end();
  }

  refuse(code: string, message: string): void {
    this.#follower.send(encodeJsonFrame(FRAME.error, { code, message }));
    this.#isOver = true;
    this.#socket.end();
  }

  #handle({ type, payload }: Frame, final: SessionState | null): void {
    if (this.#isOver) return;
    const value = decodeJson(payload);
    if (!this.#isGreeted) {
      if (type !== FRAME.hello || typeof value?.["protocol"] !== "number") {
        this.refuse("EBADARGS", "the first frame must be HELLO");
        return;
      }
      this.#isGreeted = true;
      const hello = { protocol: PROTOCOL_VERSION, holt_version: VERSION, session_id: this.#options.sessionId };
      this.#follower.send(encodeJsonFrame(FRAME.hello, hello));
      return;
    }
    if (type === FRAME.request) {
      this.#answer(value);
      return;
    }
    if (type !== FRAME.follow) {
      this.#complain(`unknown frame type ${type}`);
      return;
    }
    const cursor = parseCursor(value?.["cursor"]);
    if (cursor === null) {
      this.refuse("EBADARGS", "FOLLOW needs a cursor: a decimal string");
      return;
    }
    this.#socket.timeout(0);
    this.#follower.follow(cursor);
    this.#follower.advance(final);
  }

  #answer(request: Record<string, unknown> | null): void {
    const { id, method, params } = request ?? {};
    if (typeof id !== "number" || typeof method !== "string") {
      this.#complain("REQUEST needs an id (a number) and a method");
      return;
    }
    if (this.#follower.lags) {
      this.refuse("ERLIMIT", "answers are not read");
      return;
    }
    // Who asks for something needs no cursor to stay.
    this.#socket.timeout(0);
    const given = typeof params === "object" && params !== null ? { ...params } : {};
    try {
      const result = answer(this.#options.session, method, given);
      if (!(result instanceof Promise)) this.#result(id, result);
      else
        result.then(
          (later) => this.#result(id, later),
          (error: unknown) => this.#failure(id, error),
        );
    } catch (error) {
      this.#failure(id, error);
    }
  }

  #result(id: number, result: Record<string, unknown>): void {
    if (!this.#isOver) this.#follower.send(encodeJsonFrame(FRAME.result, { id, result }));
  }

  #failure(id: number, error: unknown): void {
    if (this.#isOver) return;
    const { code, message, hint } = error instanceof HoltError ? error : internal(error);
    this.#follower.send(encodeJsonFrame(FRAME.error, { id, code, message, ...(hint === null ? {} : { hint }) }));
  }

  /** Somebody who sends nonsense and reads nothing is let go before the answers pile up. */
  #complain(message: string): void {
    if (this.#follower.lags) this.refuse("ERLIMIT", message);
    else this.#follower.send(encodeJsonFrame(FRAME.error, { code: "EBADARGS", message }));
  }
}

function internal(error: unknown): HoltError {
  return new HoltError("EINTERNAL", error instanceof Error ? error.message : String(error));
}

function parseCursor(value: unknown): number | null {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
