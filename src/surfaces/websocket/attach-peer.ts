/**
 * Attached to a session's terminal over a WebSocket. Frames go between the client and the session's holder, which rebuilds the screen first, knows how far each client
 * has read, and brings one that lags up to date or lets it go: here is only as much in between as the client has not read, at most 1 MiB, and then nothing
 * more is taken from the holder.
 *
 * Who showed no key with the request says `attach` with one first, within 10 s.
 */
import { singleCallOrigin } from "../jsonrpc/calls.ts";
import { errorFromFrame } from "../../client/holder/holder-connection.ts";
import { HolderFrames } from "../../client/holder/holder-frames.ts";
import { type RawReplay, rawReplay } from "../../client/attach/raw-replay.ts";
import { ATTACH_FRAME, type ClientSize, encodeInput, type ReplayKind, type Role } from "../../protocol/wire/attach.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame } from "../../protocol/wire/frames.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { MAX_BODY_BYTES, MAX_INPUT_MESSAGE_BYTES } from "../../protocol/wire/web.ts";
import type { HttpBackend, Grant } from "../http/backend.ts";
import { requireScope, limitToScope } from "../http/scope.ts";
import { BinaryEncoder, type FrameEncoder, JsonEncoder, replayFrames } from "./attach-frames.ts";
import { type ClientMessage, parseClientMessage } from "./client-message.ts";
import { closeCodeOfDetach, closeCodeOfError, viewerOnly, inputNotRead } from "./attach-errors.ts";
import { EarlyFrames } from "./early-frames.ts";
import { endedSession } from "./ended-session.ts";
import { hangUp } from "./hang-up.ts";
import { FlowControl } from "./flow-control.ts";
import { LatestValueRunner } from "./latest-value-runner.ts";
import { CLOSE, invalidKey, MAX_UNREAD_BYTES, type Peer, type Socket } from "./peer.ts";
import { TokenLifetime } from "./token-lifetime.ts";

const TOKEN_MS = 10_000;
/** Typed, and not taken by a program that does not read. A WebSocket cannot be told to wait. */
const MAX_UNSENT_INPUT_BYTES = MAX_BODY_BYTES;

export interface AttachOptions {
  backend: HttpBackend;
  id: string;
  /** Null: it is shown with the first message. */
  grant: Grant | null;
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
  acquireSlot: (grant: Grant) => Disposable;
  /** A key that opens nothing was shown: what is said to that. */
  invalidKey: () => HoltError;
}

export class AttachPeer implements Peer {
  readonly #options: AttachOptions;
  readonly #encoder: FrameEncoder;
  readonly #closed = new AbortController();
  #grant: Grant | null;
  #socket: Socket | null = null;
  #holder: HolderFrames | null = null;
  #hasReplay = false;
  /** Sent with the first replay. */
  #raw: RawReplay | null = null;
  readonly #flow = new FlowControl(() => this.#unread);
  readonly #sizes = new LatestValueRunner<{ grant: Grant; size: { cols: number; rows: number } }>(({ grant, size }) =>
    this.#resize(grant, size),
  );
  readonly #earlyFrames = new EarlyFrames(MAX_INPUT_MESSAGE_BYTES);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #tokenLifetime: TokenLifetime | null = null;
  #wake: () => void = () => {};

  constructor(options: AttachOptions) {
    this.#options = options;
    this.#grant = options.grant;
    this.#encoder = options.isBinary ? new BinaryEncoder() : new JsonEncoder();
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    if (this.#grant !== null) void this.#begin(this.#grant);
    else this.#timer = setTimeout(() => this.#refuse(invalidKey()), TOKEN_MS);
  }

  message(message: string | Buffer): void {
    if (this.#socket === null) return; // it was hung up on
    try {
      this.#handle(parseClientMessage(message));
    } catch (error) {
      if (error instanceof HoltError) this.#send(this.#encoder.error(error));
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
    this.#tokenLifetime?.[Symbol.dispose]();
    this.#closed.abort();
    this.#earlyFrames.take();
    this.#flow[Symbol.dispose]();
    this.#holder?.[Symbol.dispose]();
    this.#wake();
  }

  #handle(said: ClientMessage): void {
    if (said.kind === "ping") return this.#send(JSON.stringify({ type: "pong" }));
    if (said.kind === "detach") return this.#detach();
    if (said.kind === "pause" || said.kind === "resume") return this.#flow.pauseByClient(said.kind === "pause");
    if (said.kind === "attach") return this.#presentKey(said);
    if (this.#grant !== null && this.#role !== "driver") throw viewerOnly();
    if (said.kind === "input") return this.#sendToHolder(encodeInput(said.bytes));
    // Who gave no size has no vote among those who did: this sets the terminal's, as it says.
    if (this.#options.size === null && this.#grant !== null) this.#sizes.push({ grant: this.#grant, size: said });
    else this.#sendToHolder(encodeJsonFrame(ATTACH_FRAME.resize, sizeOf(said)));
  }

  /** To the holder; what comes before there is one waits for it. */
  #sendToHolder(frame: Uint8Array): void {
    if (this.#holder !== null) {
      this.#holder.send(frame);
      if (this.#holder.unsentBytes > MAX_UNSENT_INPUT_BYTES) this.#refuse(inputNotRead(), CLOSE.tooLarge);
      return;
    }
    if (!this.#earlyFrames.push(frame)) this.#refuse(inputNotRead(), CLOSE.tooLarge);
  }

  #presentKey({ token, session }: Extract<ClientMessage, { kind: "attach" }>): void {
    const { backend, id, acquireSlot: placeOf, invalidKey: wrongKey } = this.#options;
    if (this.#grant !== null || this.#socket === null) return; // it has a key already
    if (session !== null && session !== id)
      throw new HoltError("EBADARGS", `this is session ${id}, not ${session.slice(0, 200)}`);
    const found = backend.findKey(token);
    if (found === null) return this.#refuse(wrongKey(), CLOSE.unauthorized);
    try {
      requireScope(found.scope, id);
      const place = placeOf(found);
      this.#socket.data.slot[Symbol.dispose]();
      this.#socket.data.slot = place;
    } catch (error) {
      return this.#refuse(error as HoltError);
    }
    // A ticket is used up once nothing else is wrong.
    const grant = backend.useKey(token);
    if (grant === null) return this.#refuse(wrongKey(), CLOSE.unauthorized);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#grant = grant;
    void this.#begin(grant);
  }

  get #role(): Role {
    const { role } = this.#options;
    if (role === "viewer" || this.#grant === null) return "viewer";
    return this.#grant.scope.kind === "owner" ? "driver" : this.#grant.scope.role;
  }

  async #begin(grant: Grant): Promise<void> {
    const { backend, id } = this.#options;
    try {
      this.#tokenLifetime = new TokenLifetime(backend, grant, () => this.#refuse(invalidKey()));
      const session = backend.sessions.get(id);
      if (isFinal(session.state)) await this.#replayEnded(grant, session);
      else await this.#attach(grant);
    } catch (error) {
      this.#refuse(error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error)));
    }
  }

  async #attach(grant: Grant): Promise<void> {
    const { id, size, label } = this.#options;
    const params = {
      session_id: id,
      role: this.#role,
      size: this.#role === "driver" ? size : null,
      label,
      ...this.#startParams(),
    };
    const { socket, opening } = await this.#call(grant, "session.attach", params);
    const receiver = { frame: (frame: Frame) => this.#relayToClient(frame), closed: () => this.#holderClosed() };
    const holder = await HolderFrames.dial(String(socket), receiver);
    if (holder === null) throw new HoltError("EIO", "nobody answers at the session's socket", { hint: "try again" });
    if (this.#socket === null) return holder[Symbol.dispose]();
    holder.send(Uint8Array.fromBase64(String(opening)));
    this.#holder = holder;
    this.#flow.begin(holder);
    const early = this.#earlyFrames.take();
    if (this.#role === "driver") for (const frame of early) holder.send(frame);
    else if (early.length > 0) this.#send(this.#encoder.error(viewerOnly()));
  }

  /** The last bytes are read here, so that they come with the first frame; the holder goes on behind them. */
  #startParams(): { replay?: ReplayKind; cursor?: string } {
    const { backend, id, replay, cursor } = this.#options;
    if (cursor !== null) return { replay: "none", cursor };
    if (replay !== "raw") return { replay };
    this.#raw = rawReplay(backend.sessions, id, backend.settings.scrollbackBytes);
    return { replay: "none", cursor: String(this.#raw.cursor) };
  }

  #relayToClient(frame: Frame): void {
    if (frame.type === FRAME.end) return this.#sendExit();
    if (frame.type === ATTACH_FRAME.replay && this.#raw !== null) {
      const { replay } = this.#raw;
      this.#raw = null;
      for (const each of replayFrames(decodeJson(frame.payload) ?? {}, replay)) this.#relayToClient(each);
      return;
    }
    // What the holder refuses comes instead of a replay.
    this.#hasReplay ||= frame.type === ATTACH_FRAME.replay;
    if (frame.type === FRAME.error && !this.#hasReplay)
      return this.#refuse(errorFromFrame(decodeJson(frame.payload) ?? {}));
    this.#sendFrame(frame);
    if (frame.type === ATTACH_FRAME.detached)
      return this.#close(closeCodeOfDetach(decodeJson(frame.payload)?.["reason"]));
    this.#flow.sent();
  }

  #holderClosed(): void {
    if (this.#socket === null) return;
    // The holder lets go of who takes nothing, and cannot say so to one who takes nothing.
    if (this.#unread > 0 || this.#flow.isPausedByClient || this.#isSessionRunning) this.#close(CLOSE.slow);
    else this.#refuse(new HoltError("EIO", "the session's holder is gone", { hint: "look again" }));
  }

  /** One that has ended stays for inspection: its last screen, and how it ended. */
  async #replayEnded(grant: Grant, session: Session): Promise<void> {
    const { backend, cursor, replay } = this.#options;
    const { scrollbackBytes } = backend.settings;
    const signal = this.#closed.signal;
    await this.#call(grant, "session.get", { session_id: session.session_id });
    if (session.transport_mode !== "pipe")
      for await (const frame of endedSession({
        sessions: backend.sessions,
        session,
        replay,
        scrollbackBytes,
        cursor,
        progress: this.#progress,
        signal,
      })) {
        this.#sendFrame(frame);
        await this.#untilRead();
      }
    if (this.#socket !== null) this.#sendExit();
  }

  async #resize(grant: Grant, { cols, rows }: { cols: number; rows: number }): Promise<void> {
    try {
      await this.#call(grant, "session.resize", { session_id: this.#options.id, cols, rows });
    } catch (error) {
      this.#send(this.#encoder.error(error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error))));
    }
  }

  async #call(grant: Grant, method: string, params: object): Promise<Record<string, unknown>> {
    const { backend, label } = this.#options;
    const methods = limitToScope(backend.methodsFor(grant, label), grant.scope);
    return (await methods.call(method, params, singleCallOrigin(this.#closed.signal, null))) as Record<string, unknown>;
  }

  /** What nobody has looked at yet is rendered now: that of many megabytes takes a while. */
  readonly #progress = (done: number, total: number): void => {
    this.#sendFrame({ type: ATTACH_FRAME.progress, payload: bytesOf(JSON.stringify({ done, total })) });
  };

  #sendExit(): void {
    const session = this.#options.backend.sessions.get(this.#options.id);
    this.#send(this.#encoder.exit(session, String(session.output_bytes)));
    this.#close(CLOSE.done);
  }

  #detach(): void {
    this.#holder?.send(encodeJsonFrame(ATTACH_FRAME.detach, {}));
    if (this.#holder === null) this.#close(CLOSE.done);
  }

  #sendFrame(frame: Frame): void {
    for (const message of this.#encoder.encode(frame)) this.#send(message);
  }

  #send(message: string | Uint8Array): void {
    this.#socket?.send(message);
  }

  get #isSessionRunning(): boolean {
    const { backend, id } = this.#options;
    return backend.sessions.exists(id) && !isFinal(backend.sessions.get(id).state);
  }

  get #unread(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  /** Until the client has read some of it. */
  async #untilRead(): Promise<void> {
    if (this.#unread <= MAX_UNREAD_BYTES) return;
    while (this.#unread > MAX_UNREAD_BYTES / 2 && this.#socket !== null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  #refuse(error: HoltError, code = closeCodeOfError(error)): void {
    this.#send(this.#encoder.error(error));
    this.#close(code);
  }

  /** At once: nothing more is typed for it. */
  #close(code: number): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: this.#grant !== null });
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): ClientSize {
  return { cols, rows, width: 0, height: 0 };
}
