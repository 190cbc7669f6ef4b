/**
 * The holder's unix socket: whoever connects names a cursor and gets everything from there, and then live. Each connection is only a
 * cursor that may lag: nothing it does can slow the command or another reader.
 */
import { lstatSync, rmSync } from "node:fs";
import type { Socket, UnixSocketListener } from "bun";
import { withPrivateUmask } from "../platform/files.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame, FrameParser, PROTOCOL_VERSION } from "../protocol/frames.ts";
import type { SessionState } from "../protocol/session.ts";
import { VERSION } from "../protocol/version.ts";
import { Follower, type Source } from "./follower.ts";

const MAX_CONNECTIONS = 64;
/** A connection that says nothing is let go. */
const HELLO_SECONDS = 10;

interface Connection {
  parser: FrameParser;
  greeted: boolean;
  follower: Follower;
}

export class LiveSocket {
  readonly #path: string;
  readonly #source: Source;
  readonly #sessionId: string;
  readonly #connections = new Set<Connection>();
  #listener: UnixSocketListener<Connection> | null = null;
  #final: SessionState | null = null;
  #scheduled = false;

  constructor(path: string, sessionId: string, source: Source) {
    this.#path = path;
    this.#sessionId = sessionId;
    this.#source = source;
    this.#listen();
  }

  /** Somebody's cleaner may have removed the socket from under us. */
  get missing(): boolean {
    try {
      return !lstatSync(this.#path).isSocket();
    } catch {
      return true;
    }
  }

  rebind(): void {
    this.#listener?.stop(false);
    this.#listen();
  }

  /** New bytes are in the transcript. Followers are served once the current slice of reading is over. */
  advance(): void {
    if (this.#scheduled || this.#connections.size === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  /** The session is final: followers get the rest and END. Returns when they have it, or after `deadlineMs`; the file has it all anyway. */
  async finish(state: SessionState, deadlineMs: number): Promise<void> {
    this.#final = state;
    const deadline = performance.now() + deadlineMs;
    const waiting = (): boolean => [...this.#connections].some(({ follower }) => follower.following && !follower.done);
    this.#serve();
    while (waiting() && performance.now() < deadline) {
      await Bun.sleep(1);
      this.#serve();
    }
    this.close();
  }

  close(): void {
    this.#listener?.stop(true);
    this.#listener = null;
    rmSync(this.#path, { force: true });
  }

  #listen(): void {
    rmSync(this.#path, { force: true });
    this.#listener = withPrivateUmask(() =>
      Bun.listen<Connection>({
        unix: this.#path,
        socket: {
          open: (socket) => this.#open(socket),
          data: (socket, bytes) => this.#receive(socket, bytes),
          drain: ({ data }) => {
            data.follower.drain();
            data.follower.advance(this.#final);
          },
          timeout: (socket) => void (socket.data.follower.following || socket.end()),
          close: ({ data }) => void this.#connections.delete(data),
          error: ({ data }) => void this.#connections.delete(data),
        },
      }),
    );
    this.#listener.unref();
  }

  #open(socket: Socket<Connection>): void {
    socket.data = { parser: new FrameParser(), greeted: false, follower: new Follower(socket, this.#source) };
    if (this.#connections.size >= MAX_CONNECTIONS) {
      this.#refuse(socket, "ERLIMIT", `more than ${MAX_CONNECTIONS} readers`);
      return;
    }
    this.#connections.add(socket.data);
    socket.timeout(HELLO_SECONDS);
  }

  #receive(socket: Socket<Connection>, bytes: Uint8Array): void {
    let frames: Frame[];
    try {
      frames = socket.data.parser.push(bytes);
    } catch (error) {
      this.#refuse(socket, "EBADARGS", error instanceof Error ? error.message : "bad frame");
      return;
    }
    for (const frame of frames) this.#handle(socket, frame);
  }

  #handle(socket: Socket<Connection>, { type, payload }: Frame): void {
    const connection = socket.data;
    const { follower } = connection;
    const value = decodeJson(payload);
    if (!connection.greeted) {
      if (type !== FRAME.hello || typeof value?.["protocol"] !== "number") {
        this.#refuse(socket, "EBADARGS", "the first frame must be HELLO");
        return;
      }
      connection.greeted = true;
      follower.send(
        encodeJsonFrame(FRAME.hello, {
          protocol: PROTOCOL_VERSION,
          holt_version: VERSION,
          session_id: this.#sessionId,
        }),
      );
      return;
    }
    if (type === FRAME.follow) {
      const cursor =
        typeof value?.["cursor"] === "string" && /^\d{1,15}$/.test(value["cursor"]) ? Number(value["cursor"]) : null;
      if (cursor === null) {
        this.#refuse(socket, "EBADARGS", "FOLLOW needs a cursor: a decimal string");
        return;
      }
      socket.timeout(0);
      follower.follow(cursor);
      follower.advance(this.#final);
      return;
    }
    follower.send(encodeJsonFrame(FRAME.error, { code: "EBADARGS", message: `unknown frame type ${type}` }));
  }

  #refuse(socket: Socket<Connection>, code: string, message: string): void {
    socket.data.follower.send(encodeJsonFrame(FRAME.error, { code, message }));
    socket.end();
  }

  #serve(): void {
    this.#source.writer.flushIndex();
    for (const { follower } of this.#connections) follower.advance(this.#final);
  }
}
