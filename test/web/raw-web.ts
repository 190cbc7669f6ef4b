/** Somebody at the port who says whatever they like, from whichever address of this machine they like, and reads only if they like. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { until } from "../chaos/size.ts";

export interface RawOptions {
  port: number;
  /** One of 127.0.0.0/8. */
  from?: string;
  reads?: boolean;
}

export interface Answer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

const PING = 9;
const PONG = 10;

let callers = 0;

/** An address of its own: who tries keys that open nothing is put off by address. */
export function anotherAddress(): string {
  callers++;
  return `127.1.${(callers >> 8) & 255}.${callers & 255}`;
}

export class RawWeb implements Disposable {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #all: Buffer = Buffer.alloc(0);
  #answered = 0;
  isClosed = false;

  private constructor(socket: Socket, reads: boolean) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#chunks.push(Buffer.from(bytes)));
    if (!reads) socket.pause();
    socket.on("close", () => (this.isClosed = true));
    socket.on("error", () => {});
  }

  static async dial({ port, from = "127.0.0.1", reads = true }: RawOptions): Promise<RawWeb> {
    const socket = connect({ host: "127.0.0.1", port, localAddress: from });
    const client = new RawWeb(socket, reads);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return client;
  }

  get received(): Buffer {
    this.#all = Buffer.concat([this.#all, ...this.#chunks.splice(0)]);
    return this.#all;
  }

  write(bytes: string | Uint8Array): void {
    if (!this.isClosed) this.#socket.write(bytes);
  }

  /** Takes nothing from now on. */
  stop(): void {
    this.#socket.pause();
  }

  /** From now on; everything that it was sent meanwhile comes first. */
  read(): void {
    this.#socket.resume();
  }

  /** The other side has no such connection any more, though nobody read how it ended. */
  async hangsUpUnread(pid: number): Promise<void> {
    const port = this.#socket.localPort ?? 0;
    await until("the other side has hung up", () => !connectionsOf(pid).has(port));
  }

  /** A frame of a WebSocket, masked as a client's must be. */
  frame(opcode: number, payload: Uint8Array, { final = true, masked = true } = {}): void {
    this.write(frameOf(opcode, payload, { final, masked }));
  }

  say(message: object): void {
    this.frame(1, Buffer.from(JSON.stringify(message)));
  }

  /** Status 0: the connection was closed without a word. */
  async answer(): Promise<Answer> {
    await until("it is answered", () => this.received.includes("\r\n\r\n") || this.isClosed);
    const [head = ""] = this.received.toString("latin1").split("\r\n\r\n");
    const [first = "", ...rest] = head.split("\r\n");
    const headers = new Map(rest.map((line) => [line.split(": ")[0]?.toLowerCase() ?? "", line.split(": ")[1] ?? ""]));
    const length = Number(headers.get("content-length") ?? 0);
    await until("all of it is there", () => this.received.length >= head.length + 4 + length || this.isClosed);
    const body = this.received.subarray(head.length + 4, head.length + 4 + length).toString();
    return { status: Number(first.split(" ")[1] ?? 0), headers, body };
  }

  /** What the server said since the upgrade, message by message; a close is `[8, payload]`. */
  frames(): [opcode: number, payload: Buffer][] {
    const from = this.received.indexOf("\r\n\r\n");
    const all = from < 0 ? [] : framesIn(this.received.subarray(from + 4));
    const pings = all.filter(([opcode]) => opcode === PING);
    for (const [, payload] of pings.slice(this.#answered)) this.frame(PONG, payload); // as whoever reads must
    this.#answered = pings.length;
    return all.filter(([opcode]) => opcode !== PING);
  }

  /** Found here: who waits for its end without answering pings is cut off before it hears why. */
  async hangsUp(): Promise<void> {
    await until("it is hung up on", () => {
      this.frames();
      return this.isClosed;
    });
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

export function requestOf(first: string, headers: Record<string, string | null>, body = ""): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const length = body === "" && !first.startsWith("POST") ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${first} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n");
}

export const UPGRADE = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

export function frameOf(opcode: number, payload: Uint8Array, { final = true, masked = true } = {}): Buffer {
  const { length } = payload;
  const size =
    length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, ...bigEndian(length)];
  const [first = 0, ...rest] = size;
  const head = [(final ? 128 : 0) | opcode, (masked ? 128 : 0) | first, ...rest];
  // A mask of zeros changes nothing.
  return Buffer.concat([Buffer.from(head), masked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

/** The ports at the other ends of a process's TCP connections, as the kernel has them. */
export function connectionsOf(pid: number): Set<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  const lines = readFileSync(`/proc/${pid}/net/tcp`, "latin1").trim().split("\n").slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const own = fields.filter(([, , , , , , , , , inode]) => inodes.has(inode ?? ""));
  return new Set(own.map(([, , remote = ":0"]) => Number.parseInt(remote.split(":")[1] ?? "0", 16)));
}

function bigEndian(length: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

function framesIn(bytes: Buffer): [number, Buffer][] {
  const found: [number, Buffer][] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 127;
    const more = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (at + 2 + more > bytes.length) break;
    const length = more === 0 ? short : more === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    const end = at + 2 + more + length;
    if (end > bytes.length) break;
    found.push([(bytes[at] ?? 0) & 15, bytes.subarray(at + 2 + more, end)]);
    at = end;
  }
  return found;
}
