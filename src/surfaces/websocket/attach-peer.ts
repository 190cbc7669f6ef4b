/**
 * An attach to a session's terminal over a WebSocket. Frames are relayed between the client and the
 * session's holder, which rebuilds the screen, knows how far each client has read, and updates or
 * drops slow clients. At most 1 MiB is buffered here; beyond it nothing is read from the holder.
 *
 * A client that sent no key with the request sends `attach` with one within 10 s.
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
/** Input that the program has not read yet. A WebSocket has no backpressure towards the client. */
const MAX_UNSENT_INPUT_BYTES = MAX_BODY_BYTES;

export interface AttachOptions {
  backend: HttpBackend;
  id: string;
  /** Null: the key comes in the first message. */
  grant: Grant | null;
  /**
   * The size of the client's terminal; null: it does not count for the session's size until it
   * sends `resize`.
   */
  size: { cols: number; rows: number } | null;
  replay: ReplayKind;
  /** The cursor to resume from; null: start with what `replay` selects. */
  cursor: string | null;
  /** `viewer` limits a driver's key to viewing. */
  role: Role | null;
  isBinary: boolean;
  /** The client's label, shown to users. */
  label: string;
  /** Takes a connection slot of this key; throws when none is free. */
  acquireSlot: (grant: Grant) => Disposable;
  /** The error for an invalid key. */
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
  /** The `raw` replay, sent with the holder's first frame. */
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
    if (this.#socket === null) return; // the socket is closing
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

  #handle(message: ClientMessage): void {
    if (message.kind === "ping") return this.#send(JSON.stringify({ type: "pong" }));
    if (message.kind === "detach") return this.#detach();
    if (message.kind === "pause" || message.kind === "resume")
      return this.#flow.pauseByClient(message.kind === "pause");
    if (message.kind === "attach") return this.#presentKey(message);
    if (this.#grant !== null && this.#role !== "driver") throw viewerOnly();
    if (message.kind === "input") return this.#sendToHolder(encodeInput(message.bytes));
    // A client without a size has no part in the size of several clients: its resize sets the
    // terminal's size directly.
    if (this.#options.size === null && this.#grant !== null) this.#sizes.push({ grant: this.#grant, size: message });
    else this.#sendToHolder(encodeJsonFrame(ATTACH_FRAME.resize, sizeOf(message)));
  }

  /** Sends to the holder; frames before its connection is open are kept. */
  #sendToHolder(frame: Uint8Array): void {
    if (this.#holder !== null) {
      this.#holder.send(frame);
      if (this.#holder.unsentBytes > MAX_UNSENT_INPUT_BYTES) this.#refuse(inputNotRead(), CLOSE.tooLarge);
      return;
    }
    if (!this.#earlyFrames.push(frame)) this.#refuse(inputNotRead(), CLOSE.tooLarge);
  }

  #presentKey({ token, session }: Extract<ClientMessage, { kind: "attach" }>): void {
    const { backend, id, acquireSlot, invalidKey: invalidKeyError } = this.#options;
    if (this.#grant !== null || this.#socket === null) return; // it already has a key
    if (session !== null && session !== id)
      throw new HoltError("EBADARGS", `wrong session: this is ${id}, not ${session.slice(0, 200)}`);
    const found = backend.findKey(token);
    if (found === null) return this.#refuse(invalidKeyError(), CLOSE.unauthorized);
    try {
      requireScope(found.scope, id);
      const slot = acquireSlot(found);
      this.#socket.data.slot[Symbol.dispose]();
      this.#socket.data.slot = slot;
    } catch (error) {
      return this.#refuse(error as HoltError);
    }
    // A ticket is used up last, when all other checks have passed.
    const grant = backend.useKey(token);
    if (grant === null) return this.#refuse(invalidKeyError(), CLOSE.unauthorized);
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
    if (holder === null) throw new HoltError("EIO", "the session's socket does not answer", { hint: "try again" });
    if (this.#socket === null) return holder[Symbol.dispose]();
    holder.send(Uint8Array.fromBase64(String(opening)));
    this.#holder = holder;
    this.#flow.begin(holder);
    const early = this.#earlyFrames.take();
    if (this.#role === "driver") for (const frame of early) holder.send(frame);
    else if (early.length > 0) this.#send(this.#encoder.error(viewerOnly()));
  }

  /**
   * A `raw` replay is read here and sent with the holder's first frame; the holder continues behind
   * it.
   */
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
    // Before the replay, an error frame is the holder's refusal.
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
    // The holder drops a client that does not read, and cannot send it the reason.
    if (this.#unread > 0 || this.#flow.isPausedByClient || this.#isSessionRunning) this.#close(CLOSE.slow);
    else this.#refuse(new HoltError("EIO", "the session's holder is gone", { hint: "attach again" }));
  }

  /** Shows an ended session: its last screen, and how it ended. */
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

  /** A session that was never viewed is rendered now; many megabytes take a while. */
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

  /** Waits until the client has read half of what may be unread. */
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

  /** Ends at once: later input of the client is not sent. */
  #close(code: number): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: this.#grant !== null });
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): ClientSize {
  return { cols, rows, width: 0, height: 0 };
}
