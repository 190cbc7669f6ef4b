/**
 * An attached client: its keys, a replay that rebuilds the screen, and from the replay's cursor on what the command prints.
 * The order is the guarantee: no OUTPUT before the replay it belongs to, and none twice.
 *
 * A client that does not keep up is not sent what it missed: it gets a fresh replay once it takes something again. One that takes nothing at
 * all is let go.
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

/** With more than this that the command has not read, the client is not read either. */
const PAUSE_ABOVE = 256 * 1024;
/** Further behind than this, a screen is shorter than what led to it. */
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
  /** Asked for while another was on its way, or while the client took nothing. */
  #isReplayRequested = false;
  /** The latest of each kind that it has not been told, because it takes nothing. */
  readonly #heldNotices = new Map<number, unknown>();
  #hasLagged = false;
  #isAdvanceScheduled = false;
  /** Not read while the command does not read. */
  #isPaused = false;
  #hasDetached = false;
  #isOver = false;

  /** Throws why it may not attach. */
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
    // A person is at the keyboard: from here on each key's way is worth compiling.
    if (!this.request.once) Bun.unsafe.setJITPolicy(1);
    void this.replay();
  }

  get done(): boolean {
    return this.#isOver && this.#sendBuffer.isEmpty;
  }

  get lagBytes(): number {
    return this.#output.lagBytes;
  }

  /** For how long it has taken nothing of what there is for it. */
  get stalledMs(): number {
    return performance.now() - this.#sendBuffer.progressAt;
  }

  /** False when the frame is none of an attached client's. What comes after a DETACH is ignored. */
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
    if (this.request.role !== "driver") throw new HoltError("EDENIED", "this client only watches");
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

  /** From scratch: at the start, when the size changed, and after a lag, where it is of use only if it is newer than what was sent. */
  async replay(why: "asked" | "lag" = "asked"): Promise<void> {
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
        if (why === "asked" || this.#isReplayRequested || isNewer) this.#output.restart(this.id, replay);
        if (this.request.once) return this.#end();
      } while (this.#isReplayRequested && !this.#sendBuffer.isFull);
    } catch {
      this.leave("unreadable"); // the disk does not let us read
      return;
    }
    this.#isReplaying = false;
    this.#hasLagged = false;
    if (isFirst) this.#shared.clients.replaySent(this);
    this.advance();
  }

  /** Sends what was printed since, and END once the session is final and all was sent. */
  advance(): void {
    if (this.#output.cursor === null || this.#isReplaying || this.#isOver) return;
    this.#sendHeldNotices();
    if (this.#mustResync()) {
      void this.replay(this.#isReplayRequested ? "asked" : "lag");
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

  /** Sends a notice. Of those that come again and again, only the latest waits for a client that takes nothing. */
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

  /** The emulator may be behind them still: then what they have is newer. */
  #mustResync(): boolean {
    if (this.#sendBuffer.isFull) return false;
    return (
      this.#isReplayRequested || (this.#hasLagged && this.request.replay === "screen" && this.lagBytes > RESYNC_BYTES)
    );
  }
}
