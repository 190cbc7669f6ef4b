/** A client at a terminal, over WebSocket: Bun's, and what it is told. */
import { ATTACH_FRAME, decodeOutput } from "../../src/protocol/wire/attach.ts";
import { decodeJson, FRAME } from "../../src/protocol/wire/frames.ts";
import { BEARER_PROTOCOL, BINARY_FRAMES, JSON_FRAMES } from "../../src/protocol/wire/web.ts";
import { until } from "../chaos/size.ts";

export interface TerminalOptions {
  host: string;
  id: string;
  /** Null: none is shown with the request. */
  token: string | null;
  query: Record<string, string>;
  isBinary: boolean;
}

export interface Told {
  type: string;
  data?: string;
  cursor?: string;
  cols?: number;
  rows?: number;
  code?: unknown;
  message?: string;
  title?: string;
  modes?: Record<string, unknown>;
  [more: string]: unknown;
}

const NAMES = new Map<number, string>([
  [ATTACH_FRAME.replay, "history"],
  [ATTACH_FRAME.modes, "mode_changed"],
  [ATTACH_FRAME.progress, "progress"],
  [ATTACH_FRAME.lease, "lease"],
  [ATTACH_FRAME.detached, "detached"],
  [FRAME.end, "exit"],
  [FRAME.error, "error"],
]);

export class Terminal {
  readonly told: Told[] = [];
  readonly #socket: WebSocket;
  readonly #isBinary: boolean;
  /** All bytes of its output since the first history, which is not among them. */
  readonly chunks: Uint8Array[] = [];
  bytes = 0;
  /** What a terminal shows since the last history. */
  #parts: Uint8Array[] = [];
  cursor = "0";
  closedWith: number | null = null;
  isOpen = false;

  constructor({ host, id, token, query = {}, isBinary = false }: Partial<TerminalOptions>) {
    const search = new URLSearchParams(query).toString();
    const protocols = [
      isBinary ? BINARY_FRAMES : JSON_FRAMES,
      ...(token === null || token === undefined ? [] : [`${BEARER_PROTOCOL}${token}`]),
    ];
    this.#isBinary = isBinary;
    this.#socket = new WebSocket(`ws://${host}/api/v1/pty/sessions/${id}/attach?${search}`, protocols);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () => (this.isOpen = true));
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data as string | ArrayBuffer));
    this.#socket.addEventListener("close", ({ code }) => (this.closedWith = code));
    this.#socket.addEventListener("error", () => {});
  }

  /** Since the last history, and that. */
  get shown(): Buffer {
    return Buffer.concat(this.#parts);
  }

  get text(): string {
    return this.shown.toString();
  }

  get output(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  of(type: string): Told[] {
    return this.told.filter((each) => each.type === type);
  }

  say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendRaw(message: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(message);
  }

  type(text: string): void {
    if (this.#isBinary) this.sendRaw(Buffer.from(`${String.fromCharCode(ATTACH_FRAME.input)}${text}`));
    else this.say({ type: "input", data: Buffer.from(text).toString("base64") });
  }

  resize(cols: number, rows: number): void {
    const size = { cols, rows };
    if (this.#isBinary) this.sendRaw(Buffer.from(`${String.fromCharCode(ATTACH_FRAME.resize)}${JSON.stringify(size)}`));
    else this.say({ type: "resize", ...size });
  }

  async sees(needle: string | RegExp): Promise<void> {
    const isSeen = (): boolean => (typeof needle === "string" ? this.text.includes(needle) : needle.test(this.text));
    try {
      await until(`sees ${String(needle)}`, () => isSeen() || this.closedWith !== null);
    } catch (error) {
      throw new Error(`saw ${JSON.stringify(this.text.slice(-2000))}`, { cause: error });
    }
    if (!isSeen()) throw new Error(`closed with ${this.closedWith}, told ${JSON.stringify(this.told.slice(-3))}`);
  }

  async hears(type: string): Promise<Told> {
    await until(`hears ${type}`, () => this.of(type).length > 0 || this.closedWith !== null);
    const [told] = this.of(type);
    if (told === undefined) throw new Error(`closed with ${this.closedWith}, told ${JSON.stringify(this.told)}`);
    return told;
  }

  async isClosed(): Promise<number> {
    await until("it is closed", () => this.closedWith !== null);
    return this.closedWith ?? 0;
  }

  /** As a connection that breaks. */
  cut(): void {
    this.#socket.terminate();
  }

  close(): void {
    this.#socket.close();
  }

  #receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") return this.#take(JSON.parse(data) as Told);
    const [message, payload] = [new Uint8Array(data), new Uint8Array(data, 1)];
    if (message[0] === ATTACH_FRAME.output) {
      const { next, bytes } = decodeOutput(payload) ?? { next: 0, bytes: new Uint8Array() };
      this.#shown(bytes, String(next));
    } else if (message[0] === ATTACH_FRAME.replayData) this.#parts.push(payload);
    else this.#take({ type: NAMES.get(message[0] ?? 0) ?? `frame ${message[0]}`, ...decodeJson(payload) });
  }

  #take(told: Told): void {
    // In JSON a screen that is drawn anew is output of a size, in binary one more replay.
    if (told.type === "output" && told.cols !== undefined) told.type = "redrawn";
    if (told.type === "history" && this.#isBinary && this.of("history").length > 0) told.type = "redrawn";
    if (told.type === "output") return this.#shown(Buffer.from(told.data ?? "", "base64"), told.cursor ?? "");
    this.told.push(told);
    if (told.type !== "history" && told.type !== "redrawn") return;
    // Where nothing comes with it, it goes on where it was.
    if (told.cursor !== this.cursor || (told.data ?? "") !== "") this.#parts = [Buffer.from(told.data ?? "", "base64")];
    this.cursor = told.cursor ?? "";
  }

  #shown(bytes: Uint8Array, next: string): void {
    if (this.of("history").length === 0) throw new Error("output came before a history");
    this.chunks.push(bytes);
    this.#parts.push(bytes);
    this.bytes += bytes.length;
    this.cursor = next;
  }
}
