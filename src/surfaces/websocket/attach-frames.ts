/**
 * Encodes the frames of a holder's socket (protocol/wire/attach.ts) as WebSocket messages: binary
 * ones are the frame as it is, JSON ones have the seed's names and base64.
 *
 * `history` is sent once. A screen that is redrawn later (after a resize, or when the client
 * lagged) is sent as `output` with cols and rows, and its bytes begin by clearing the terminal. So
 * a client that only writes what it receives shows the right screen.
 */
import { ATTACH_FRAME, decodeOutput } from "../../protocol/wire/attach.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import type { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson, FRAME, type Frame } from "../../protocol/wire/frames.ts";
import type { Session } from "../../protocol/types/session.ts";

export interface FrameEncoder {
  /**
   * The messages for a frame of the holder; none when it is part of a later message or internal.
   */
  encode(frame: Frame): (string | Uint8Array)[];
  exit(session: Session, cursor: string): string | Uint8Array;
  error(error: HoltError): string | Uint8Array;
}

export class BinaryEncoder implements FrameEncoder {
  encode({ type, payload }: Frame): Uint8Array[] {
    return [FRAME.hello, FRAME.end].some((known) => known === type) ? [] : [joined([Uint8Array.of(type), payload])];
  }

  exit(session: Session, cursor: string): Uint8Array {
    return message(FRAME.end, { cursor, state: session.state, ...outcomeOf(session) });
  }

  error({ code, message: text, hint }: HoltError): Uint8Array {
    return message(FRAME.error, { code, message: text, hint });
  }
}

export class JsonEncoder implements FrameEncoder {
  #head: Record<string, unknown> | null = null;
  #missing = 0;
  #hasHistory = false;
  readonly #replay: Uint8Array[] = [];

  encode({ type, payload }: Frame): string[] {
    switch (type) {
      case ATTACH_FRAME.output:
        return this.#output(payload);
      case ATTACH_FRAME.replayData:
        this.#replay.push(payload);
        this.#missing -= payload.length;
        return this.#history();
      case ATTACH_FRAME.replay:
        this.#head = decodeJson(payload) ?? {};
        this.#missing = Number(this.#head["bytes"] ?? 0);
        return this.#history();
      default:
        return this.#event(type, decodeJson(payload) ?? {});
    }
  }

  exit(session: Session, cursor: string): string {
    return JSON.stringify({
      type: "exit",
      ...outcomeOf(session),
      state: session.state,
      reason: session.reason,
      cursor,
    });
  }

  error({ code, message: text, hint }: HoltError): string {
    return JSON.stringify({ type: "error", code, message: text, hint });
  }

  #output(payload: Uint8Array): string[] {
    const output = decodeOutput(payload);
    if (output === null) return [];
    return [JSON.stringify({ type: "output", data: output.bytes.toBase64(), cursor: String(output.next) })];
  }

  #history(): string[] {
    if (this.#head === null || this.#missing > 0) return [];
    const { cursor, cols, rows, modes, title, client_id } = this.#head;
    const data = joined(this.#replay.splice(0)).toBase64();
    this.#head = null;
    if (this.#hasHistory) return [JSON.stringify({ type: "output", data, cursor, cols, rows })];
    this.#hasHistory = true;
    return [JSON.stringify({ type: "history", data, cursor, cols, rows, modes, title, client_id })];
  }

  #event(type: number, value: Record<string, unknown>): string[] {
    const name = EVENTS.get(type);
    return name === undefined ? [] : [JSON.stringify({ type: name, ...value })];
  }
}

const EVENTS: ReadonlyMap<number, string> = new Map([
  [ATTACH_FRAME.progress, "progress"],
  [ATTACH_FRAME.modes, "mode_changed"],
  [ATTACH_FRAME.lease, "lease"],
  [ATTACH_FRAME.detached, "detached"],
  [FRAME.error, "error"],
]);

/** The frames of a replay that is made here, not by a holder. */
export function* replayFrames(head: object, replay: Uint8Array): Generator<Frame> {
  yield { type: ATTACH_FRAME.replay, payload: bytesOf(JSON.stringify({ ...head, bytes: replay.length })) };
  if (replay.length > 0) yield { type: ATTACH_FRAME.replayData, payload: replay };
}

function message(type: number, value: object): Uint8Array {
  return joined([Uint8Array.of(type), bytesOf(JSON.stringify(value))]);
}

/** The exit code as a shell reports it when a signal ended the process. */
function outcomeOf({ exit_code, signal, reason }: Session): object {
  return { code: exit_code, signal, reason };
}
