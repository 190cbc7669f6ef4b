/** What may be asked of a session on its socket (protocol/holder-methods.ts). Loaded with the first connection. */
import { HoltError } from "../protocol/errors.ts";
import { ENDED, HOLDER_METHODS, type HolderMethod, MAX_GRACE_MS, STARTING } from "../protocol/holder-methods.ts";
import { requireName } from "../protocol/session-name.ts";
import type { TerminalSize } from "../protocol/session.ts";
import type { InputEnd } from "../process/transport.ts";
import type { Clients } from "./clients.ts";
import { badValue, isWithin, requireFree, signalFrom, sizeOf } from "./control-values.ts";
import type { Reserved } from "./reserved.ts";
import type { Sharing } from "./sharing.ts";
import type { SessionTerminal } from "./session-terminal.ts";
import type { ShellSession } from "./shell/shell-session.ts";
import { TYPING } from "./typing.ts";

/** Of the session, what control needs. */
export interface Controlled {
  readonly sharing: Sharing;
  /** Null on pipes. */
  readonly terminal: SessionTerminal | null;
  /** Throws why there is none. */
  requireTerminal(): SessionTerminal;
  /** Why others may not type into it, or resize it; null where they may. */
  readonly reserved: Reserved;
  readonly isStarting: boolean;
  readonly hasEnded: boolean;
  /** Bytes that the command has not taken yet. */
  readonly pendingInput: number;
  readonly inputEnd: InputEnd | null;
  /** Null where the command is no integrated shell. */
  readonly shell: ShellSession | null;
  /** Bytes that it has printed. */
  readonly produced: number;
  /** Its processes. */
  members(): number[];
  input(bytes: Uint8Array): void;
  endInput(): void;
  /** Whether that was another one. */
  resize(size: TerminalSize): boolean;
  /** Whoever is attached came, went, or has another size: that is no idle session. */
  attended(): void;
  event(event: { type: string; [key: string]: unknown }): void;
  signal(signal: number): void;
  stop(options: { signal?: number; graceMs?: number; reason: "stop_requested" | "daemon_shutdown" }): void;
  kill(): void;
  rename(name: string | null): void;
}

export type Params = Record<string, unknown>;
export type Answer = Record<string, unknown> | Promise<Record<string, unknown>>;

/** Of whom something is asked. */
export interface Asked {
  session: Controlled;
  clients: Clients;
}

/** The result, or a HoltError. Only what changes nothing may answer later: those that act do it in their order. */
export function answer(asked: Asked, method: string, params: Params): Answer {
  const { session } = asked;
  if (!HOLDER_METHODS.some((known) => known === method)) {
    throw new HoltError("EBADARGS", `a holder has no method ${JSON.stringify(method)}`, {
      hint: `it knows ${HOLDER_METHODS.join(", ")}`,
    });
  }
  if (session.isStarting) throw new HoltError("EBUSY", STARTING);
  if (session.hasEnded && method !== "rename") throw new HoltError("ESESSIONCLOSED", ENDED);
  return ANSWERS[method as HolderMethod](asked, params);
}

const ANSWERS: Record<HolderMethod, (asked: Asked, params: Params) => Answer> = {
  ...TYPING,
  input_state: async ({ session }) => (await import("./looks.ts")).inputState(session),
  ports: async ({ session }) => (await import("./looks.ts")).ports(session),
  exec: async (asked, params) => (await import("./shell/asked.ts")).exec(asked, params),
  give_up: async (asked, params) => (await import("./shell/asked.ts")).giveUp(asked, params),
  until_prompt: async (asked, params) => (await import("./shell/asked.ts")).untilPrompt(asked, params),
  clients: ({ clients, session }) => ({ clients: clients.list(), max_clients: session.sharing.maxClients }),
  detach({ clients }, { client_id }) {
    clients.detach(String(client_id), "by_other");
    return {};
  },
  resize({ session, clients }, { cols, rows }) {
    requireFree(session.reserved.size, "resized");
    clients.resize({ ...sizeOf(cols, rows), width: 0, height: 0 });
    return {};
  },
  signal({ session }, { signal }) {
    session.signal(signalFrom(signal));
    return {};
  },
  stop({ session }, { signal, grace_ms, reason }) {
    if (grace_ms !== undefined && !isWithin(grace_ms, 0, MAX_GRACE_MS))
      throw badValue("grace_ms", grace_ms, `a whole number of milliseconds up to ${MAX_GRACE_MS}`);
    session.stop({
      reason: reason === "daemon_shutdown" ? reason : "stop_requested",
      ...(signal === undefined ? {} : { signal: signalFrom(signal) }),
      ...(grace_ms === undefined ? {} : { graceMs: grace_ms }),
    });
    return {};
  },
  kill({ session }) {
    session.kill();
    return {};
  },
  rename({ session }, { name }) {
    if (name !== null && typeof name !== "string") throw badValue("name", name, "a text, or null");
    session.rename(name === null ? null : requireName(name));
    return {};
  },
};
