/** Constants shared by HTTP, WebSocket, the page and the code that issues keys. */
import type { Role } from "./attach.ts";

export const API = "/api/v1";
export const API_VERSION = "1.0";
/** H, O, L, T on a telephone. */
export const DEFAULT_PORT = 4658;

/**
 * WebSocket protocol of a session's terminal: each message is the type and payload of a frame of
 * the holder's socket (frames.ts, attach.ts).
 */
export const BINARY_FRAMES = "holt.v1.binary";
/** The same as JSON: the default. */
export const JSON_FRAMES = "holt.v1.json";

/** JSON-RPC 2.0, one message per WebSocket message. */
export const RPC_FRAMES = "holt.v1.rpc";
/**
 * A browser cannot set a header on a WebSocket, only its protocols: the key is one of them, after
 * this prefix.
 */
export const BEARER_PROTOCOL = "holt.bearer.";

/** Most bytes of a request body or a WebSocket message. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Most bytes of input in one message. */
export const MAX_INPUT_MESSAGE_BYTES = 1024 * 1024;

/** Access of a key: everything, or one session to watch or to drive. */
export type Scope = { kind: "owner" } | { kind: "session"; session_id: string; role: Role };

/**
 * - `token`: for programs, until it expires
 * - `page`: issued to a browser for a ticket
 * - `ticket`: good for one use
 */
export const KEY_KINDS = ["token", "page", "ticket"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const TICKET_SECONDS = 60;
export const PAGE_SECONDS = 7 * 24 * 3600;
export const MAX_KEY_SECONDS = 30 * 24 * 3600;

/** WebSocket path for JSON-RPC: the whole table, as on the daemon's socket. */
export const RPC_PATH = `${API}/rpc`;
