/**
 * Frames of an attached client on a holder's socket (frames.ts): types 18 to 31.
 *
 * - to the holder: ATTACH, then INPUT, RESIZE, DETACH at any time
 * - to the client: PROGRESS while a screen is rendered, REPLAY and its REPLAY_DATA, then OUTPUT;
 *   MODES, LEASE, DETACHED, END
 *
 * REPLAY names the cursor at which OUTPUT goes on, and may come again at any time (resize, slow
 * client): its bytes then replace the screen. They are for a terminal of the size that it names.
 * With `raw` it has no bytes: the last output is sent again as OUTPUT from that cursor.
 */
import { encodeFrame } from "./frames.ts";
import type { Modes } from "../types/modes.ts";

export const ATTACH_FRAME = {
  /** AttachRequest */
  attach: 18,
  /** Replay */
  replay: 19,
  /** Bytes of the replay, in order. */
  replayData: 20,
  /** {done: "N", total: "M"}: cursors */
  progress: 21,
  /** u64 next cursor | bytes, filtered for a viewer's terminal. */
  output: 22,
  /** {modes, title}, after each change. */
  modes: 23,
  /** To the holder: bytes, as typed. */
  input: 24,
  /**
   * To the holder: ClientSize. The answer is a REPLAY; `again: true` asks for a REPLAY at an
   * unchanged size.
   */
  resize: 25,
  /** To the holder: {} */
  detach: 26,
  /** {reason}: the last frame. */
  detached: 27,
  /** {client_id | null}: the client that may type, under `lease`. */
  lease: 28,
} as const;

export const REPLAYS = ["screen", "raw", "none"] as const;
export const ROLES = ["driver", "viewer"] as const;
export const SIZE_RULES = ["smallest", "latest", "largest", "fixed"] as const;
export const INPUT_SHARINGS = ["shared", "lease"] as const;

export type ReplayKind = (typeof REPLAYS)[number];
export type Role = (typeof ROLES)[number];
/** Rule that picks the session's size from those of its clients. */
export type SizeRule = (typeof SIZE_RULES)[number];
/** `lease`: one driver at a time. */
export type InputSharing = (typeof INPUT_SHARINGS)[number];
export type DetachReason = "asked" | "by_other" | "replaced" | "slow" | "unreadable";

export interface ClientSize {
  cols: number;
  rows: number;
  /** Pixels; 0 where unknown. */
  width: number;
  height: number;
}

export interface AttachRequest {
  role: Role;
  replay: ReplayKind;
  /** With `none`: the cursor to resume at, as a decimal string; without it, the current end. */
  cursor?: string;
  /** Null: the client does not take part in the session's size. */
  size: ClientSize | null;
  /**
   * The client draws on a terminal of another size: the scrollback comes again with the first
   * replay that fits. Other clients keep the scrollback of the first replay.
   */
  repaints?: boolean;
  /** Lines of scrollback in the replay. */
  scrollback: number;
  /** With `raw`: at most this many trailing bytes. */
  raw_bytes: number;
  /** Detach all other clients. */
  replaces: boolean;
  /** Take the lease from the client that has it. */
  takeover: boolean;
  /** Send the replay alone, without attaching. */
  once: boolean;
  /** An observer: not listed, not counted, without a say in the size. */
  passive: boolean;
  /** Shown in the list of clients. */
  pid: number;
  label: string;
  /** Pass the command's clipboard writes (OSC 52) to this client. */
  clipboard?: boolean;
  /** Sessions that the client itself runs inside of, outermost first. */
  inside?: string[];
}

export interface Replay {
  /** "c1"; "" for an observer. */
  client_id: string;
  cursor: string;
  cols: number;
  rows: number;
  modes: Modes;
  title: string;
  /** Bytes of REPLAY_DATA that follow. */
  bytes: number;
}

export interface AttachedClientInfo {
  client_id: string;
  role: Role;
  size: ClientSize | null;
  attached_at: string;
  pid: number;
  label: string;
  /** Output not sent to it yet. */
  lag_bytes: number;
  has_lease: boolean;
  /** Sessions that the client runs inside of. */
  inside?: string[];
}

export const DEFAULT_SCROLLBACK = 1000;

/** Length and type. */
const HEADER_BYTES = 5;
const CURSOR_BYTES = 8;

export function encodeOutputPayload(next: number, bytes: Uint8Array): Uint8Array {
  return encodeOutput(next, bytes).subarray(HEADER_BYTES);
}

export function encodeOutput(next: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + CURSOR_BYTES + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 1 + CURSOR_BYTES + bytes.length, true);
  frame[4] = ATTACH_FRAME.output;
  view.setBigUint64(HEADER_BYTES, BigInt(next), true);
  frame.set(bytes, HEADER_BYTES + CURSOR_BYTES);
  return frame;
}

/** Null for an invalid OUTPUT payload. */
export function decodeOutput(payload: Uint8Array): { next: number; bytes: Uint8Array } | null {
  if (payload.length < CURSOR_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return { next: Number(view.getBigUint64(0, true)), bytes: payload.subarray(CURSOR_BYTES) };
}

export function encodeInput(bytes: Uint8Array): Uint8Array {
  return encodeFrame(ATTACH_FRAME.input, bytes);
}
