/**
 * Frames on a holder's socket: `u32 length (little endian) | u8 type | payload`; the length counts
 * type and payload.
 *
 * Payloads are JSON (UTF-8), except DATA: `u64 cursor | f64 timestamp (ms) | u8 channel | bytes`.
 * Channel 255 is a named one: `u8 length | name` comes before the bytes. A reader that does not
 * know named channels drops such a frame and reads from disk.
 *
 * Both sides open with HELLO. An unknown type is answered with ERROR and otherwise ignored, so new
 * types need no new format. Types 18 to 31 are reserved for attach.ts.
 */
import { bytesOf, joined, textOf } from "../types/bytes.ts";
import { isChannelName } from "../types/channels.ts";
import type { Channel } from "../types/session.ts";

export const PROTOCOL_VERSION = 1;
/** A longer frame is an attack or a bug: the connection is closed. */
export const MAX_FRAME_BYTES = 3 * 1024 * 1024;
/** Most bytes in one DATA frame. */
export const MAX_DATA_BYTES = 64 * 1024;

export const FRAME = {
  /** Both ways, first. {protocol, holt_version, session_id?} */
  hello: 1,
  /** To the holder: {cursor: "N"}: send all output from there, then live. */
  follow: 2,
  /** To the follower: bytes at a cursor. */
  data: 3,
  /** To the follower: {from: "N", to: "M"}: these bytes were not captured. */
  gap: 4,
  /** To the follower: the session is final and everything was sent. {cursor: "N", state} */
  end: 5,
  /** Either way: {code, message, hint?, id?}; `id` is that of the failed REQUEST. */
  error: 6,
  /** To the holder: {id, method, params}; see holder-methods.ts. */
  request: 16,
  /** To the caller: {id, result} */
  result: 17,
} as const;

export const CHANNELS: readonly Channel[] = ["pty", "stdout", "stderr"];
const DATA_HEADER = 17;
const NAMED_CHANNEL = 255;

export interface Frame {
  type: number;
  payload: Uint8Array;
}

export interface Hello {
  protocol: number;
  holt_version: string;
  session_id?: string;
}

export interface DataFrame {
  cursor: number;
  timestamp: number;
  channel: Channel;
  bytes: Uint8Array;
}

export function encodeFrame(type: number, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + payload.length);
  new DataView(frame.buffer).setUint32(0, 1 + payload.length, true);
  frame[4] = type;
  frame.set(payload, 5);
  return frame;
}

export function encodeJsonFrame(type: number, value: unknown): Uint8Array {
  return encodeFrame(type, bytesOf(JSON.stringify(value)));
}

export function encodeData({ cursor, timestamp, channel, bytes }: DataFrame): Uint8Array {
  const code = CHANNELS.indexOf(channel);
  const name = code < 0 ? bytesOf(channel) : null;
  const header = DATA_HEADER + (name === null ? 0 : 1 + name.length);
  const frame = new Uint8Array(5 + header + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 1 + header + bytes.length, true);
  frame[4] = FRAME.data;
  view.setBigUint64(5, BigInt(cursor), true);
  view.setFloat64(13, timestamp, true);
  frame[21] = code < 0 ? NAMED_CHANNEL : code;
  if (name !== null) {
    frame[22] = name.length;
    frame.set(name, 23);
  }
  frame.set(bytes, 5 + header);
  return frame;
}

/** Null when the payload is not a DATA payload. */
export function decodeData(payload: Uint8Array): DataFrame | null {
  if (payload.length < DATA_HEADER) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const isNamed = payload[16] === NAMED_CHANNEL;
  const header = isNamed ? DATA_HEADER + 1 + (payload[DATA_HEADER] ?? 0) : DATA_HEADER;
  const channel = isNamed ? textOf(payload.subarray(DATA_HEADER + 1, header)) : CHANNELS[payload[16] ?? NAMED_CHANNEL];
  if (channel === undefined || payload.length < header || (isNamed && !isChannelName(channel))) return null;
  return {
    cursor: Number(view.getBigUint64(0, true)),
    timestamp: view.getFloat64(8, true),
    channel,
    bytes: payload.subarray(header),
  };
}

/** Null when the payload is not a JSON object. */
export function decodeJson(payload: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(textOf(payload));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Splits a byte stream into frames, in any chunks. Throws RangeError for an invalid length. */
export class FrameParser {
  #pending: Uint8Array = new Uint8Array(0);

  push(chunk: Uint8Array): Frame[] {
    this.#pending = this.#pending.length === 0 ? chunk.slice() : joined([this.#pending, chunk]);
    const frames: Frame[] = [];
    let at = 0;
    while (this.#pending.length - at >= 5) {
      const view = new DataView(this.#pending.buffer, this.#pending.byteOffset + at);
      const length = view.getUint32(0, true);
      if (length < 1 || length > MAX_FRAME_BYTES) throw new RangeError(`frame of ${length} bytes`);
      if (this.#pending.length - at < 4 + length) break;
      frames.push({ type: view.getUint8(4), payload: this.#pending.subarray(at + 5, at + 4 + length) });
      at += 4 + length;
    }
    if (at > 0) this.#pending = this.#pending.subarray(at);
    return frames;
  }
}
