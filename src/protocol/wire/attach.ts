/**
 * Attaching, on a holder's socket (frames.ts): 18 to 31.
 *
 *   to the holder: ATTACH, then INPUT, RESIZE, DETACH at any time
 *   to the client: PROGRESS while a screen is rendered, REPLAY and its REPLAY_DATA, then OUTPUT; MODES, LEASE, DETACHED, END
 *
 * REPLAY names the cursor at which OUTPUT goes on. It may come again at any time (the size changed, the client lagged): what
 * was shown before is then replaced by it. Its bytes are for a terminal of the size that it names. There are none where nothing is rebuilt:
 * with `raw` the last bytes come again as OUTPUT, from the cursor that it names.
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
  /** u64 next cursor | bytes, as a viewer may see them. */
  output: 22,
  /** {modes, title}: whenever one changes. */
  modes: 23,
  /** To the holder: bytes, as typed. */
  input: 24,
  /** To the holder: ClientSize. Answered by a REPLAY; with `again: true` the size is as it was, and only that is wanted. */
  resize: 25,
  /** To the holder: {} */
  detach: 26,
  /** {reason}: the last frame. */
  detached: 27,
  /** {client_id | null}: whose keys count, where one alone may type. */
  lease: 28,
} as const;

export const REPLAYS = ["screen", "raw", "none"] as const;
export const ROLES = ["driver", "viewer"] as const;
export const SIZE_RULES = ["smallest", "latest", "largest", "fixed"] as const;
export const INPUT_SHARINGS = ["shared", "lease"] as const;

export type ReplayKind = (typeof REPLAYS)[number];
export type Role = (typeof ROLES)[number];
/** Which of the sizes of those that take part is the session's. */
export type SizeRule = (typeof SIZE_RULES)[number];
/** `lease`: one driver at a time. */
export type InputSharing = (typeof INPUT_SHARINGS)[number];
export type DetachReason = "asked" | "by_other" | "replaced" | "slow" | "unreadable";

export interface ClientSize {
  cols: number;
  rows: number;
  /** Pixels; 0 where it is not known. */
  width: number;
  height: number;
}

export interface AttachRequest {
  role: Role;
  replay: ReplayKind;
  /** With `none`: where to go on, as a decimal string. Absent: from now on. */
  cursor?: string;
  /** Null watches without a word on the session's size. */
  size: ClientSize | null;
  /** On a terminal of another size it paints: the scrollback comes once more with the first replay that fits. Others keep what the first one brought. */
  repaints?: boolean;
  /** Of the scrollback, so many lines come with the replay. */
  scrollback: number;
  /** With `raw`: at most this many of the last bytes. */
  raw_bytes: number;
  /** The others are detached. */
  replaces: boolean;
  /** Whoever has the lease loses it. */
  takeover: boolean;
  /** The replay alone is wanted, a screen; the client is none. */
  once: boolean;
  /** A program that only looks: in no list, and in nobody's way. */
  passive: boolean;
  /** Who that is, for people. */
  pid: number;
  label: string;
  /** What the command writes to the clipboard is written to this client's. */
  clipboard?: boolean;
  /** The sessions that show what this client shows, from within which it runs. */
  inside?: string[];
}

export interface Replay {
  /** "c1"; "" for one who only looks. */
  client_id: string;
  cursor: string;
  cols: number;
  rows: number;
  modes: Modes;
  title: string;
  /** How many bytes of REPLAY_DATA follow. */
  bytes: number;
}

export interface AttachedClientInfo {
  client_id: string;
  role: Role;
  size: ClientSize | null;
  attached_at: string;
  pid: number;
  label: string;
  /** Output that it has not been sent yet. */
  lag_bytes: number;
  has_lease: boolean;
  /** The sessions that it runs inside of. */
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

/** Null when it is no OUTPUT payload. */
export function decodeOutput(payload: Uint8Array): { next: number; bytes: Uint8Array } | null {
  if (payload.length < CURSOR_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return { next: Number(view.getBigUint64(0, true)), bytes: payload.subarray(CURSOR_BYTES) };
}

export function encodeInput(bytes: Uint8Array): Uint8Array {
  return encodeFrame(ATTACH_FRAME.input, bytes);
}
