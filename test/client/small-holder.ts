/**
 * A minimal holder that readers accept as a real one: directory, lock, transcript and socket, but
 * no command.
 */
import type { Socket, UnixSocketListener } from "bun";
import {
  encodeData,
  encodeJsonFrame,
  FRAME,
  FrameParser,
  decodeJson,
  MAX_DATA_BYTES,
} from "../../src/protocol/wire/frames.ts";
import type { Channel, Final } from "../../src/protocol/types/session.ts";
import { socketPath } from "../../src/transcript/layout.ts";
import { FinalRecord, writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { finalOf, metaOf, type StateDir } from "./sessions.ts";

/** "silent" accepts connections and does not answer; "refusing" answers HELLO with ERROR. */
export type Manner = "normal" | "silent" | "refusing" | "no socket";

interface Connection {
  parser: FrameParser;
  /** Null until it follows. */
  cursor: number | null;
  unsent: Uint8Array[];
}

export class SmallHolder implements Disposable {
  readonly id: string;
  readonly connections = new Set<Socket<Connection>>();
  /** Bytes that the readers' sockets have accepted. */
  taken = 0;
  readonly #manner: Manner;
  readonly #dir: SessionDir;
  readonly #final: FinalRecord;
  readonly #writer: TranscriptWriter;
  readonly #listener: UnixSocketListener<Connection> | null;
  readonly #parts: { cursor: number; channel: Channel; bytes: Uint8Array }[] = [];
  #gone = false;
  #changed = Promise.withResolvers<void>();

  constructor(
    { layout }: StateDir,
    id: string,
    manner: Manner = "normal",
    options: { maxBytes: number } = { maxBytes: 1024 ** 3 },
  ) {
    this.id = id;
    this.#manner = manner;
    this.#dir = SessionDir.create(layout, id);
    this.#dir.lock();
    const socket = manner === "no socket" ? null : socketPath(layout, id);
    this.#listener = socket === null ? null : this.#listen(socket);
    writeMeta(this.#dir, metaOf(id, { socket }));
    this.#final = FinalRecord.reserve(this.#dir);
    this.#writer = TranscriptWriter.create(this.#dir, options);
  }

  get followers(): number {
    return [...this.connections].filter(({ data }) => data.cursor !== null).length;
  }

  /** Waits for that many followers. */
  async hasFollowers(count: number): Promise<void> {
    while (this.followers !== count) await this.#changed.promise;
  }

  async hasConnections(count: number): Promise<void> {
    while (this.connections.size !== count) await this.#changed.promise;
  }

  /**
   * `index: "later"`: the bytes are in output.bin and were sent, but their index record is not
   * written yet.
   */
  append(
    output: string | Uint8Array,
    { channel = "stdout", index = "now" }: { channel?: Channel; index?: "now" | "later" } = {},
  ): void {
    const bytes = Buffer.from(output);
    const cursor = this.#writer.produced;
    this.#writer.append(channel, bytes, Date.now());
    if (index === "now") this.#writer.flushIndex();
    for (let at = 0; at < bytes.length; at += MAX_DATA_BYTES) {
      this.#parts.push({ cursor: cursor + at, channel, bytes: bytes.subarray(at, at + MAX_DATA_BYTES) });
    }
    for (const socket of this.connections) this.#advance(socket);
  }

  gap(from: number, to: number): void {
    for (const socket of this.connections)
      send(this, socket, encodeJsonFrame(FRAME.gap, { from: String(from), to: String(to) }));
  }

  end(fields: Partial<Final> = {}): void {
    const cursor = this.#writer.produced;
    this.#writer[Symbol.dispose]();
    const final = finalOf(this.id, { output_bytes: cursor, ...fields });
    this.#final.write(final);
    const last = encodeJsonFrame(FRAME.end, { cursor: String(cursor), state: final.state });
    for (const socket of this.connections) {
      send(this, socket, last);
      socket.end();
    }
    this.#leave();
  }

  /** As after kill -9: the lock is free, the connections are gone, nothing was recorded. */
  vanish(): void {
    this.#writer[Symbol.dispose]();
    this.#leave();
  }

  [Symbol.dispose](): void {
    if (!this.#gone) this.vanish();
  }

  #leave(): void {
    this.#gone = true;
    this.#listener?.stop(true);
    this.#final[Symbol.dispose]();
    this.#dir[Symbol.dispose]();
  }

  #notice(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #listen(path: string): UnixSocketListener<Connection> {
    return Bun.listen<Connection>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = { parser: new FrameParser(), cursor: null, unsent: [] };
          this.connections.add(socket);
          this.#notice();
        },
        data: (socket, bytes) => {
          if (this.#manner === "silent") return;
          for (const { type, payload } of socket.data.parser.push(bytes)) {
            if (type === FRAME.hello) this.#greet(socket);
            if (type !== FRAME.follow) continue;
            socket.data.cursor = Number(decodeJson(payload)?.["cursor"]);
            this.#advance(socket);
            this.#notice();
          }
        },
        drain: (socket) => flush(this, socket),
        close: (socket) => {
          this.connections.delete(socket);
          this.#notice();
        },
      },
    });
  }

  #greet(socket: Socket<Connection>): void {
    if (this.#manner === "refusing") {
      send(this, socket, encodeJsonFrame(FRAME.error, { code: "ERLIMIT", message: "too many" }));
      socket.end();
    } else send(this, socket, encodeJsonFrame(FRAME.hello, { protocol: 1, holt_version: "test", session_id: this.id }));
  }

  #advance(socket: Socket<Connection>): void {
    for (const { cursor, channel, bytes } of this.#parts) {
      const from = socket.data.cursor ?? Number.POSITIVE_INFINITY;
      if (from >= cursor + bytes.length) continue;
      const rest = bytes.subarray(Math.max(0, from - cursor));
      socket.data.cursor = cursor + bytes.length;
      send(this, socket, encodeData({ cursor: Math.max(from, cursor), channel, bytes: rest, timestamp: Date.now() }));
    }
  }
}

function send(holder: SmallHolder, socket: Socket<Connection>, frame: Uint8Array): void {
  socket.data.unsent.push(frame);
  flush(holder, socket);
}

function flush(holder: SmallHolder, socket: Socket<Connection>): void {
  const { unsent } = socket.data;
  for (let head = unsent[0]; head !== undefined; head = unsent[0]) {
    const written = Math.max(0, socket.write(head));
    holder.taken += written;
    if (written < head.length) {
      unsent[0] = head.subarray(written);
      return;
    }
    unsent.shift();
  }
}
