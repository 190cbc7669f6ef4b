/**
 * Attached to a session's terminal over a WebSocket. Frames go between the client and the session's holder, which rebuilds the screen first, knows how far each client
 * has read, and brings one that lags up to date or lets it go: here is only as much in between as the client has not read, at most 1 MiB, and then nothing
 * more is taken from the holder.
 *
 * Who showed no key with the request says `attach` with one first, within 10 s.
 */
import { askingOnce } from "../jsonrpc/calls.ts";
import { errorFromFrame } from "../../client/holder/holder-connection.ts";
import { HolderFrames } from "../../client/holder/holder-frames.ts";
import { type RawReplay, rawReplay } from "../../client/attach/raw-replay.ts";
import { ATTACH_FRAME, type ClientSize, encodeInput, type ReplayKind, type Role } from "../../protocol/wire/attach.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame } from "../../protocol/wire/frames.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { MAX_BODY_BYTES, MAX_INPUT_MESSAGE_BYTES } from "../../protocol/wire/web.ts";
import type { House, Opened } from "../http/backend.ts";
import { requireScope, scoped } from "../http/scope.ts";
import { BinaryForm, type Form, JsonForm, replayFrames } from "./attach-frames.ts";
import { type Said, saidIn } from "./attach-input.ts";
import { closeFor, closeOf, onlyWatches, tooMuchTyped } from "./attach-refusals.ts";
import { EarlyFrames } from "./early-frames.ts";
import { endedSession } from "./ended-session.ts";
import { hangUp } from "./hang-up.ts";
import { Flow } from "./flow.ts";
import { Latest } from "./latest.ts";
import { CLOSE, keyEnded, MAX_UNREAD_BYTES, type Peer, type Socket } from "./peer.ts";
import { Tenure } from "./token-lifetime.ts";

const TOKEN_MS = 10_000;
/** Typed, and not taken by a program that does not read. A WebSocket cannot be told to wait. */
const MAX_UNTYPED_BYTES = MAX_BODY_BYTES;

export interface AttachOptions {
  house: House;
  id: string;
  /** Null: it is shown with the first message. */
  opened: Opened | null;
  /** Of the client's terminal; null: it has no say in the session's, until it says `resize`. */
  size: { cols: number; rows: number } | null;
  replay: ReplayKind;
  /** To go on from; null: from what `replay` shows. */
  cursor: string | null;
  /** To watch, though the key would open more. */
  role: Role | null;
  isBinary: boolean;
  /** Who that is, for people. */
  label: string;
  /** Among those who have this key. Throws where there is none. */
  placeOf: (opened: Opened) => Disposable;
  /** A key that opens nothing was shown: what is said to that. */
  wrongKey: () => HoltError;
}

export class AttachPeer implements Peer {
  readonly #options: AttachOptions;
  readonly #form: Form;
  readonly #gone = new AbortController();
  #opened: Opened | null;
  #socket: Socket | null = null;
  #holder: HolderFrames | null = null;
  #hasReplay = false;
  /** Sent with the first replay. */
  #raw: RawReplay | null = null;
  readonly #flow = new Flow(() => this.#unread);
  readonly #sizes = new Latest<{ opened: Opened; size: { cols: number; rows: number } }>(({ opened, size }) =>
    this.#resize(opened, size),
  );
  readonly #early = new EarlyFrames(MAX_INPUT_MESSAGE_BYTES);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #tenure: Tenure | null = null;
  #wake: () => void = () => {};

  constructor(options: AttachOptions) {
    this.#options = options;
    this.#opened = options.opened;
    this.#form = options.isBinary ? new BinaryForm() : new JsonForm();
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    if (this.#opened !== null) void this.#begin(this.#opened);
    else this.#timer = setTimeout(() => this.#refuse(keyEnded()), TOKEN_MS);
  }

  message(message: string | Buffer): void {
    if (this.#socket === null) return; // it was hung up on
    try {
      this.#hear(saidIn(message));
    } catch (error) {
      if (error instanceof HoltError) this.#send(this.#form.error(error));
      else throw error;
    }
  }

  drained(): void {
    this.#wake();
    this.#flow.resume();
  }

  closed(): void {
    this.#socket = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#tenure?.[Symbol.dispose]();
    this.#gone.abort();
    this.#early.take();
    this.#flow[Symbol.dispose]();
    this.#holder?.[Symbol.dispose]();
    this.#wake();
  }

  #hear(said: Said): void {
    if (said.kind === "ping") return this.#send(JSON.stringify({ type: "pong" }));
    if (said.kind === "detach") return this.#detach();
    if (said.kind === "pause" || said.kind === "resume") return this.#flow.hold(said.kind === "pause");
    if (said.kind === "attach") return this.#show(said);
    if (this.#opened !== null && this.#role !== "driver") throw onlyWatches();
    if (said.kind === "input") return this.#pass(encodeInput(said.bytes));
    // Who gave no size has no vote among those who did: this sets the terminal's, as it says.
    if (this.#options.size === null && this.#opened !== null) this.#sizes.push({ opened: this.#opened, size: said });
    else this.#pass(encodeJsonFrame(ATTACH_FRAME.resize, sizeOf(said)));
  }

  /** To the holder; what comes before there is one waits for it. */
  #pass(frame: Uint8Array): void {
    if (this.#holder !== null) {
      this.#holder.send(frame);
      if (this.#holder.unsentBytes > MAX_UNTYPED_BYTES) this.#refuse(tooMuchTyped(), CLOSE.tooLarge);
      return;
    }
    if (!this.#early.push(frame)) this.#refuse(tooMuchTyped(), CLOSE.tooLarge);
  }

  #show({ token, session }: Extract<Said, { kind: "attach" }>): void {
    const { house, id, placeOf, wrongKey } = this.#options;
    if (this.#opened !== null || this.#socket === null) return; // it has a key already
    if (session !== null && session !== id)
      throw new HoltError("EBADARGS", `this is session ${id}, not ${session.slice(0, 200)}`);
    const found = house.find(token);
    if (found === null) return this.#refuse(wrongKey(), CLOSE.unauthorized);
    try {
      requireScope(found.scope, id);
      const place = placeOf(found);
      this.#socket.data.place[Symbol.dispose]();
      this.#socket.data.place = place;
    } catch (error) {
      return this.#refuse(error as HoltError);
    }
    // A ticket is used up once nothing else is wrong.
    const opened = house.open(token);
    if (opened === null) return this.#refuse(wrongKey(), CLOSE.unauthorized);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#opened = opened;
    void this.#begin(opened);
  }

  get #role(): Role {
    const { role } = this.#options;
    if (role === "viewer" || this.#opened === null) return "viewer";
    return this.#opened.scope.kind === "owner" ? "driver" : this.#opened.scope.role;
  }

  async #begin(opened: Opened): Promise<void> {
    const { house, id } = this.#options;
    try {
      this.#tenure = new Tenure(house, opened, () => this.#refuse(keyEnded()));
      const session = house.sessions.get(id);
      if (isFinal(session.state)) await this.#showEnded(opened, session);
      else await this.#attach(opened);
    } catch (error) {
      this.#refuse(error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error)));
    }
  }

  async #attach(opened: Opened): Promise<void> {
    const { id, size, label } = this.#options;
    const params = {
      session_id: id,
      role: this.#role,
      size: this.#role === "driver" ? size : null,
      label,
      ...this.#beginning(),
    };
    const { socket, opening } = await this.#call(opened, "session.attach", params);
    const receiver = { frame: (frame: Frame) => this.#relay(frame), closed: () => this.#lost() };
    const holder = await HolderFrames.dial(String(socket), receiver);
    if (holder === null) throw new HoltError("EIO", "nobody answers at the session's socket", { hint: "try again" });
    if (this.#socket === null) return holder[Symbol.dispose]();
    holder.send(Uint8Array.fromBase64(String(opening)));
    this.#holder = holder;
    this.#flow.begin(holder);
    const early = this.#early.take();
    if (this.#role === "driver") for (const frame of early) holder.send(frame);
    else if (early.length > 0) this.#send(this.#form.error(onlyWatches()));
  }

  /** The last bytes are read here, so that they come with the first frame; the holder goes on behind them. */
  #beginning(): { replay?: ReplayKind; cursor?: string } {
    const { house, id, replay, cursor } = this.#options;
    if (cursor !== null) return { replay: "none", cursor };
    if (replay !== "raw") return { replay };
    this.#raw = rawReplay(house.sessions, id, house.terms.scrollbackBytes);
    return { replay: "none", cursor: String(this.#raw.cursor) };
  }

  #relay(frame: Frame): void {
    if (frame.type === FRAME.end) return this.#exit();
    if (frame.type === ATTACH_FRAME.replay && this.#raw !== null) {
      const { replay } = this.#raw;
      this.#raw = null;
      for (const each of replayFrames(decodeJson(frame.payload) ?? {}, replay)) this.#relay(each);
      return;
    }
    // What the holder refuses comes instead of a replay.
    this.#hasReplay ||= frame.type === ATTACH_FRAME.replay;
    if (frame.type === FRAME.error && !this.#hasReplay)
      return this.#refuse(errorFromFrame(decodeJson(frame.payload) ?? {}));
    this.#tell(frame);
    if (frame.type === ATTACH_FRAME.detached) return this.#close(closeFor(decodeJson(frame.payload)?.["reason"]));
    this.#flow.sent();
  }

  #lost(): void {
    if (this.#socket === null) return;
    // The holder lets go of who takes nothing, and cannot say so to one who takes nothing.
    if (this.#unread > 0 || this.#flow.isHeld || this.#isLiving) this.#close(CLOSE.slow);
    else this.#refuse(new HoltError("EIO", "the session's holder is gone", { hint: "look again" }));
  }

  /** One that has ended stays for inspection: its last screen, and how it ended. */
  async #showEnded(opened: Opened, session: Session): Promise<void> {
    const { house, cursor, replay } = this.#options;
    const { scrollbackBytes } = house.terms;
    const signal = this.#gone.signal;
    await this.#call(opened, "session.get", { session_id: session.session_id });
    if (session.transport_mode !== "pipe")
      for await (const frame of endedSession({
        sessions: house.sessions,
        session,
        replay,
        scrollbackBytes,
        cursor,
        progress: this.#progress,
        signal,
      })) {
        this.#tell(frame);
        await this.#room();
      }
    if (this.#socket !== null) this.#exit();
  }

  async #resize(opened: Opened, { cols, rows }: { cols: number; rows: number }): Promise<void> {
    try {
      await this.#call(opened, "session.resize", { session_id: this.#options.id, cols, rows });
    } catch (error) {
      this.#send(this.#form.error(error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error))));
    }
  }

  async #call(opened: Opened, method: string, params: object): Promise<Record<string, unknown>> {
    const { house, label } = this.#options;
    const methods = scoped(house.methods(opened, label), opened.scope);
    return (await methods.call(method, params, askingOnce(this.#gone.signal, null))) as Record<string, unknown>;
  }

  /** What nobody has looked at yet is rendered now: that of many megabytes takes a while. */
  readonly #progress = (done: number, total: number): void => {
    this.#tell({ type: ATTACH_FRAME.progress, payload: bytesOf(JSON.stringify({ done, total })) });
  };

  #exit(): void {
    const session = this.#options.house.sessions.get(this.#options.id);
    this.#send(this.#form.exit(session, String(session.output_bytes)));
    this.#close(CLOSE.done);
  }

  #detach(): void {
    this.#holder?.send(encodeJsonFrame(ATTACH_FRAME.detach, {}));
    if (this.#holder === null) this.#close(CLOSE.done);
  }

  #tell(frame: Frame): void {
    for (const message of this.#form.told(frame)) this.#send(message);
  }

  #send(message: string | Uint8Array): void {
    this.#socket?.send(message);
  }

  get #isLiving(): boolean {
    const { house, id } = this.#options;
    return house.sessions.exists(id) && !isFinal(house.sessions.get(id).state);
  }

  get #unread(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  /** Until the client has read some of it. */
  async #room(): Promise<void> {
    if (this.#unread <= MAX_UNREAD_BYTES) return;
    while (this.#unread > MAX_UNREAD_BYTES / 2 && this.#socket !== null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  #refuse(error: HoltError, code = closeOf(error)): void {
    this.#send(this.#form.error(error));
    this.#close(code);
  }

  /** At once: nothing more is typed for it. */
  #close(code: number): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: this.#opened !== null });
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): ClientSize {
  return { cols, rows, width: 0, height: 0 };
}
