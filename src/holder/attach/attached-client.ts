/**
 * An attached client: its keys, a replay that rebuilds the screen, and the output from the replay's
 * cursor on. The order is guaranteed: no OUTPUT before the replay that it belongs to, and no byte
 * twice.
 *
 * A slow client does not get the output that it missed, but a fresh replay once its socket takes
 * data again. A client whose socket takes nothing is detached.
 */
import type { Socket } from "bun";
import { ATTACH_FRAME, type AttachRequest, type DetachReason } from "../../protocol/wire/attach.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame } from "../../protocol/wire/frames.ts";
import { SESSION_ENDED } from "../../protocol/wire/holder-methods.ts";
import { parseAttachRequest, parseClientSize } from "./attach-request.ts";
import { requireFree } from "../socket/control-values.ts";
import type { ConnectionContext } from "../socket/session-connection.ts";
import type { SendBuffer } from "../socket/send-buffer.ts";
import type { SessionTerminal } from "../session/session-terminal.ts";
import { ViewerOutput } from "./viewer-output.ts";

/** The client's socket is not read while the command has more unread input than this. */
const PAUSE_ABOVE = 256 * 1024;
/** A client further behind than this gets a replay, which is shorter than the output. */
const RESYNC_BYTES = 1024 * 1024;

export class AttachedClient {
  readonly id: string;
  readonly request: AttachRequest;
  readonly attachedAt = new Date().toISOString();
  readonly #shared: ConnectionContext;
  readonly #socket: Socket<unknown>;
  readonly #sendBuffer: SendBuffer;
  readonly #terminal: SessionTerminal;
  readonly #output: ViewerOutput;
  #isReplaying = false;
  /** Requested during another replay, or while the socket takes nothing. */
  #isReplayRequested = false;
  /** The latest notice of each kind, kept while the socket takes nothing. */
  readonly #heldNotices = new Map<number, unknown>();
  #hasLagged = false;
  #isAdvanceScheduled = false;
  /** The socket is not read, because the command does not read its input. */
  #isPaused = false;
  #hasDetached = false;
  #isOver = false;

  /** Throws when the client may not attach. */
  constructor(
    shared: ConnectionContext,
    value: Record<string, unknown> | null,
    socket: Socket<unknown>,
    sendBuffer: SendBuffer,
  ) {
    const { session, clients, source } = shared;
    this.request = parseAttachRequest(value);
    this.#terminal = session.requireTerminal();
    if (this.request.role === "driver") requireFree(session.reserved.input, "typed into");
    this.id = clients.admit(this.request);
    this.#shared = shared;
    this.#socket = socket;
    this.#sendBuffer = sendBuffer;
    this.#output = new ViewerOutput(source, sendBuffer, this.request);
    clients.add(this);
    // Interactive: compiling the input path pays off from here on.
    if (!this.request.once) Bun.unsafe.setJITPolicy(1);
    void this.replay();
  }

  get done(): boolean {
    return this.#isOver && this.#sendBuffer.isEmpty;
  }

  get lagBytes(): number {
    return this.#output.lagBytes;
  }

  /** Time since the socket last took pending data. */
  get stalledMs(): number {
    return performance.now() - this.#sendBuffer.progressAt;
  }

  /** False for a frame that no attached client sends. Frames after DETACH are ignored. */
  receive({ type, payload }: Frame): boolean {
    if (this.#hasDetached) return true;
    try {
      if (type === ATTACH_FRAME.input) this.#type(payload);
      else if (type === ATTACH_FRAME.resize) this.#resize(decodeJson(payload));
      else if (type === ATTACH_FRAME.detach) this.#detach();
      else return false;
    } catch (error) {
      if (!(error instanceof HoltError)) throw error;
      const { code, message } = error;
      if (!this.#sendBuffer.isFull) this.#sendBuffer.send(encodeJsonFrame(FRAME.error, { code, message }));
    }
    return true;
  }

  #type(bytes: Uint8Array): void {
    const { session, clients } = this.#shared;
    if (session.isStarting) return;
    if (session.hasEnded) throw new HoltError("ESESSIONCLOSED", SESSION_ENDED);
    if (this.request.role !== "driver") throw new HoltError("EDENIED", "this client is read-only");
    clients.type(this.id, bytes);
    if (session.transport.pendingInput <= PAUSE_ABOVE || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  inputDrained(): void {
    if (this.#isPaused) this.#socket.resume();
    this.#isPaused = false;
  }

  #resize(value: Record<string, unknown> | null): void {
    if (value?.["again"] === true) void this.replay();
    else this.#shared.clients.resized(this, parseClientSize(value));
  }

  #detach(): void {
    this.#hasDetached = true;
    this.#shared.clients.remove(this, "asked");
    this.leave("asked");
  }

  leave(reason: DetachReason): void {
    if (!this.#isOver) this.#sendBuffer.send(encodeJsonFrame(ATTACH_FRAME.detached, { reason }));
    this.#end();
    if (reason === "slow") this.#sendBuffer.cut();
  }

  #end(): void {
    this.#isOver = true;
    this.#sendBuffer.end();
  }

  closed(): void {
    this.#isOver = true;
    this.#shared.clients.remove(this, "gone");
  }

  /**
   * Sends a full replay: at the start, after a resize, and after a lag (then only if it is newer
   * than what was sent).
   */
  async replay(why: "request" | "lag" = "request"): Promise<void> {
    if (this.#isReplaying || this.#sendBuffer.isFull) {
      this.#isReplayRequested = true;
      return;
    }
    this.#isReplaying = true;
    const isFirst = this.#output.cursor === null;
    try {
      do {
        this.#isReplayRequested = false;
        const replay = await this.#output.replayed(this.#terminal, (done, total) =>
          this.notify(ATTACH_FRAME.progress, { done: String(done), total: String(total) }),
        );
        if (this.#isOver) return;
        const isNewer = replay.cursor > (this.#output.cursor ?? 0);
        if (why === "request" || this.#isReplayRequested || isNewer) this.#output.restart(this.id, replay);
        if (this.request.once) return this.#end();
      } while (this.#isReplayRequested && !this.#sendBuffer.isFull);
    } catch {
      this.leave("unreadable"); // the transcript cannot be read
      return;
    }
    this.#isReplaying = false;
    this.#hasLagged = false;
    if (isFirst) this.#shared.clients.replaySent(this);
    this.advance();
  }

  /** Sends new output, and END once the session is final and everything was sent. */
  advance(): void {
    if (this.#output.cursor === null || this.#isReplaying || this.#isOver) return;
    this.#sendHeldNotices();
    if (this.#mustResync()) {
      void this.replay(this.#isReplayRequested ? "request" : "lag");
      return;
    }
    try {
      this.#output.send();
    } catch {
      this.leave("unreadable");
      return;
    }
    const { final, produced } = this.#shared.source;
    this.#hasLagged ||= this.#sendBuffer.isFull;
    if (this.lagBytes > 0) return this.#advanceLater();
    if (final === null || this.request.once) return;
    this.#isOver = true;
    this.#sendBuffer.send(encodeJsonFrame(FRAME.end, { cursor: String(produced), state: final }));
  }

  #advanceLater(): void {
    if (this.#isAdvanceScheduled || this.#sendBuffer.isFull) return;
    this.#isAdvanceScheduled = true;
    setImmediate(() => {
      this.#isAdvanceScheduled = false;
      this.advance();
    });
  }

  /** Sends a notice. While the socket takes nothing, only the latest of each kind is kept. */
  notify(type: number, value: unknown): void {
    if (this.#isOver) return;
    if (this.#sendBuffer.isFull) this.#heldNotices.set(type, value);
    else this.#sendBuffer.send(encodeJsonFrame(type, value));
  }

  #sendHeldNotices(): void {
    if (this.#sendBuffer.isFull || this.#heldNotices.size === 0) return;
    const notices = [...this.#heldNotices];
    this.#heldNotices.clear();
    for (const [type, value] of notices) this.notify(type, value);
  }

  /**
   * A replay may be older than the output that the client has: the emulator reads the transcript at
   * its own pace.
   */
  #mustResync(): boolean {
    if (this.#sendBuffer.isFull) return false;
    return (
      this.#isReplayRequested || (this.#hasLagged && this.request.replay === "screen" && this.lagBytes > RESYNC_BYTES)
    );
  }
}
