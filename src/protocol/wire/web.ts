/** What HTTP, WebSocket and whoever hands out keys to them agree on. */
import type { Role } from "./attach.ts";

export const API = "/api/v1";
export const API_VERSION = "1.0";
/** H, O, L, T on a telephone. */
export const DEFAULT_PORT = 4658;

/** Of a WebSocket at a session's terminal: each message is the type and the payload of a frame on the holder's socket (frames.ts, attach.ts). */
export const BINARY_FRAMES = "holt.v1.binary";
/** The same in JSON, which is what is spoken where nothing is asked for. */
export const JSON_FRAMES = "holt.v1.json";

/** JSON-RPC 2.0, a message a message. */
export const RPC_FRAMES = "holt.v1.rpc";
/** A browser cannot send a header with a WebSocket, but which protocols it speaks: its key is one of them, after this. */
export const BEARER_PROTOCOL = "holt.bearer.";

/** A body, or a message of a WebSocket. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Of what is typed in one message. */
export const MAX_INPUT_MESSAGE_BYTES = 1024 * 1024;

/** What whoever shows a key may do: everything, or to watch or to drive one session. */
export type Scope = { kind: "owner" } | { kind: "session"; session_id: string; role: Role };

/** `token`: for programs, until it ends. `page`: what a browser was given for a ticket. `ticket`: good for one use. */
export const KEY_KINDS = ["token", "page", "ticket"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const TICKET_SECONDS = 60;
export const PAGE_SECONDS = 7 * 24 * 3600;
export const MAX_KEY_SECONDS = 30 * 24 * 3600;

/** Where a WebSocket that speaks JSON-RPC is opened: the whole table, as on the daemon's own socket. */
export const RPC_PATH = `${API}/rpc`;
