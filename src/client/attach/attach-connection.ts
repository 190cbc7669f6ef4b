/** An attach client's connection to a holder's socket: items arrive, input and sizes are sent. */
import {
  ATTACH_FRAME,
  type AttachRequest,
  type ClientSize,
  decodeOutput,
  type DetachReason,
  encodeInput,
  type Replay,
} from "../../protocol/wire/attach.ts";
import { joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame, PROTOCOL_VERSION } from "../../protocol/wire/frames.ts";
import type { Modes } from "../../protocol/types/modes.ts";
import { isFinal, type Session, type SessionState } from "../../protocol/types/session.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { dialHolder } from "../holder/dial-holder.ts";
import { type HolderConnection, errorFromFrame } from "../holder/holder-connection.ts";
import { unreachableHolder } from "../holder/holder-call.ts";

export type AttachItem =
  | { type: "progress"; done: number; total: number }
  | { type: "replay"; head: Replay; bytes: Uint8Array }
  /** `next`: the cursor from which to attach again. */
  | { type: "output"; next: number; bytes: Uint8Array }
  | { type: "modes"; modes: Modes; title: string }
  | { type: "lease"; clientId: string | null }
  | { type: "refused"; error: HoltError }
  | { type: "detached"; reason: DetachReason }
  | { type: "end"; state: SessionState };

/** A stopped holder accepts the connection and does not answer. */
const HELLO_MS = 5000;

/** Commands that show an ended session. */
function endedHint({ session_id, transport_mode }: Session): string {
  const logs = `\`holt logs ${session_id}\` shows all it printed`;
  return transport_mode === "pipe" ? logs : `\`holt screen ${session_id}\` shows its last screen, ${logs}`;
}

export class AttachConnection implements Disposable {
  readonly #connection: HolderConnection;
  readonly #session: Session;

  private constructor(connection: HolderConnection, session: Session) {
    this.#connection = connection;
    this.#session = session;
  }

  /**
   * ESESSIONCLOSED if the session has ended, EIO if its holder cannot be reached. A refusal of the
   * holder arrives as the first item.
   */
  static async open(session: Session, request: AttachRequest, signal: AbortSignal): Promise<AttachConnection> {
    if (isFinal(session.state)) {
      throw new HoltError("ESESSIONCLOSED", `session ${session.session_id} has ended`, {
        hint: endedHint(session),
      });
    }
    const connection = await dialHolder(session, signal);
    if (connection === null) throw unreachableHolder(session, "no process answers at its socket");
    connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
    connection.send(encodeJsonFrame(ATTACH_FRAME.attach, request));
    const opened = new AttachConnection(connection, session);
    try {
      await opened.#readHello();
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
    return opened;
  }

  /** Null when the holder closed the connection. */
  async next(): Promise<AttachItem | null> {
    for (;;) {
      const frame = await this.#connection.next();
      if (frame === null) return null;
      const item = await this.#itemOf(frame);
      if (item !== null) return item;
    }
  }

  input(bytes: Uint8Array): void {
    this.#connection.send(encodeInput(bytes));
  }

  /** Sets the callback for each time all input has been sent. */
  onSent(sent: () => void): void {
    this.#connection.onSent = sent;
  }

  get isSent(): boolean {
    return this.#connection.isSent;
  }

  resize(size: ClientSize): void {
    this.#connection.send(encodeJsonFrame(ATTACH_FRAME.resize, size));
  }

  /** Requests a repaint at an unchanged size. */
  refresh(size: ClientSize): void {
    this.#connection.send(encodeJsonFrame(ATTACH_FRAME.resize, { ...size, again: true }));
  }

  detach(): void {
    this.#connection.send(encodeJsonFrame(ATTACH_FRAME.detach, {}));
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  async #readHello(): Promise<void> {
    const timer = setTimeout(() => this[Symbol.dispose](), HELLO_MS);
    const frame = await this.#connection.next();
    clearTimeout(timer);
    if (frame === null) throw unreachableHolder(this.#session, "its holder does not answer");
    const hello = decodeJson(frame.payload) ?? {};
    if (frame.type === FRAME.error) throw errorFromFrame(hello);
    if (hello["session_id"] !== this.#session.session_id)
      throw unreachableHolder(this.#session, "its socket belongs to another session");
  }

  async #itemOf({ type, payload }: Frame): Promise<AttachItem | null> {
    if (type === ATTACH_FRAME.output) {
      const output = decodeOutput(payload);
      return output === null ? null : { type: "output", ...output };
    }
    const value = decodeJson(payload) ?? {};
    if (type === ATTACH_FRAME.replay) return this.#replay(value as unknown as Replay);
    if (type === ATTACH_FRAME.progress)
      return { type: "progress", done: Number(value["done"]), total: Number(value["total"]) };
    if (type === ATTACH_FRAME.modes)
      return { type: "modes", modes: value["modes"] as Modes, title: String(value["title"]) };
    if (type === ATTACH_FRAME.lease) return { type: "lease", clientId: value["client_id"] as string | null };
    if (type === ATTACH_FRAME.detached) return { type: "detached", reason: value["reason"] as DetachReason };
    if (type === FRAME.end) return { type: "end", state: value["state"] as SessionState };
    if (type === FRAME.error) return { type: "refused", error: errorFromFrame(value) };
    return null;
  }

  async #replay(head: Replay): Promise<AttachItem | null> {
    const parts: Uint8Array[] = [];
    for (let missing = head.bytes; missing > 0; ) {
      const frame = await this.#connection.next();
      if (frame === null) return null;
      if (frame.type !== ATTACH_FRAME.replayData) continue;
      parts.push(frame.payload);
      missing -= frame.payload.length;
    }
    return { type: "replay", head, bytes: joined(parts) };
  }
}
