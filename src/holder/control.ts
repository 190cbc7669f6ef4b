/** What may be asked of a session on its socket (protocol/holder-methods.ts). Loaded with the first connection. */
import { signalNumber } from "../platform/signals.ts";
import { HoltError } from "../protocol/errors.ts";
import {
  HOLDER_METHODS,
  type HolderMethod,
  MAX_DIMENSION,
  MAX_GRACE_MS,
  MAX_INPUT_BYTES,
  STARTING,
} from "../protocol/holder-methods.ts";
import { requireName } from "../protocol/session-name.ts";
import type { TerminalSize } from "../protocol/session.ts";

export interface Reserved {
  input: string | null;
  size: string | null;
}

/** Of the session, what control needs. */
export interface Controlled {
  /** Why others may not type into it, or resize it; null where they may. */
  readonly reserved: Reserved;
  readonly isStarting: boolean;
  readonly hasEnded: boolean;
  /** Bytes that the command has not taken yet. */
  readonly pendingInput: number;
  input(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  signal(signal: number): void;
  stop(options: { signal?: number; graceMs?: number; reason: "stop_requested" | "daemon_shutdown" }): void;
  kill(): void;
  rename(name: string | null): void;
}

/** More than this is not held for a command that does not read. */
const MAX_PENDING_INPUT = 4 * 1024 * 1024;

type Params = Record<string, unknown>;

/** The result, or a HoltError. */
export function answer(session: Controlled, method: string, params: Params): Record<string, unknown> {
  if (!HOLDER_METHODS.some((known) => known === method)) {
    throw new HoltError("EBADARGS", `a holder has no method ${JSON.stringify(method)}`, {
      hint: `it knows ${HOLDER_METHODS.join(", ")}`,
    });
  }
  if (session.isStarting) throw new HoltError("EBUSY", STARTING);
  if (session.hasEnded && method !== "rename")
    throw new HoltError("ESESSIONCLOSED", "the session has ended", { hint: "start it again to go on" });
  return ANSWERS[method as HolderMethod](session, params);
}

const ANSWERS: Record<HolderMethod, (session: Controlled, params: Params) => Record<string, unknown>> = {
  input(session, { data }) {
    requireFree(session.reserved.input, "typed into");
    const bytes = decoded(data);
    if (session.pendingInput + bytes.length > MAX_PENDING_INPUT) {
      throw new HoltError("EBUSY", `the command has not read ${session.pendingInput} bytes that it was sent before`, {
        hint: "wait until it reads, and send the rest then",
      });
    }
    session.input(bytes);
    return { bytes_written: bytes.length };
  },
  resize(session, { cols, rows }) {
    requireFree(session.reserved.size, "resized");
    session.resize({ cols: dimension("cols", cols), rows: dimension("rows", rows), width: 0, height: 0 });
    return {};
  },
  signal(session, { signal }) {
    session.signal(signalFrom(signal));
    return {};
  },
  stop(session, { signal, grace_ms, reason }) {
    if (grace_ms !== undefined && !isWithin(grace_ms, 0, MAX_GRACE_MS))
      throw badValue("grace_ms", grace_ms, `a whole number of milliseconds up to ${MAX_GRACE_MS}`);
    session.stop({
      reason: reason === "daemon_shutdown" ? reason : "stop_requested",
      ...(signal === undefined ? {} : { signal: signalFrom(signal) }),
      ...(grace_ms === undefined ? {} : { graceMs: grace_ms }),
    });
    return {};
  },
  kill(session) {
    session.kill();
    return {};
  },
  rename(session, { name }) {
    if (name !== null && typeof name !== "string") throw badValue("name", name, "a text, or null");
    session.rename(name === null ? null : requireName(name));
    return {};
  },
};

function requireFree(reserved: string | null, what: string): void {
  if (reserved === null) return;
  throw new HoltError("EDENIED", `this session cannot be ${what}: ${reserved}`, {
    hint: "`holt run --share` lets others type; `holt start` starts a session that is nobody's terminal",
  });
}

function decoded(data: unknown): Uint8Array {
  try {
    if (typeof data === "string" && data.length <= (MAX_INPUT_BYTES * 4) / 3 + 4) return Uint8Array.fromBase64(data);
  } catch {
    // said below
  }
  throw badValue(
    "data",
    typeof data === "string" ? `${data.slice(0, 20)}…` : data,
    `base64 of up to ${MAX_INPUT_BYTES} bytes`,
  );
}

function dimension(name: string, value: unknown): number {
  if (isWithin(value, 1, MAX_DIMENSION)) return value;
  throw badValue(name, value, `a whole number from 1 to ${MAX_DIMENSION}`);
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

function signalFrom(name: unknown): number {
  const number = typeof name === "string" && /^SIG[A-Z0-9+]{1,12}$/.test(name) ? signalNumber(name) : Number.NaN;
  if (isWithin(number, 1, 64)) return number;
  throw badValue("signal", name, "the name of a signal, e.g. SIGINT");
}

function badValue(name: string, value: unknown, expected: string): HoltError {
  return new HoltError("EBADARGS", `invalid ${name} ${JSON.stringify(value) ?? "(missing)"}`, {
    hint: `use ${expected}`,
  });
}
