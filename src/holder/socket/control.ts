/**
 * Handles control requests on a session's socket (protocol/wire/holder-methods.ts). Loaded with the
 * first connection.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import {
  SESSION_ENDED,
  HOLDER_METHODS,
  type HolderMethod,
  MAX_GRACE_MS,
  SESSION_STARTING,
} from "../../protocol/wire/holder-methods.ts";
import { requireName } from "../../protocol/types/session-name.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import { signalName } from "../../platform/process/signals.ts";
import type { Transport } from "../../process/transport.ts";
import type { Clients } from "../attach/clients.ts";
import { badValue, isWithin, requireFree, signalFrom, sizeOf } from "./control-values.ts";
import type { Termination } from "../session/termination.ts";
import type { Reserved } from "../session/reserved.ts";
import type { SessionRecord } from "../session/session-record.ts";
import type { AttachRules } from "../../protocol/wire/client-rules.ts";
import type { SessionTerminal } from "../session/session-terminal.ts";
import type { ShellSession } from "../shell/shell-session.ts";
import { INPUT_HANDLERS } from "./input-requests.ts";

/**
 * The session that requests act on: one with a command (HeldSession), or one that waits for a
 * restart (Backoff).
 */
export interface ControllableSession {
  readonly record: SessionRecord;
  readonly sharing: AttachRules;
  /** Why clients may not type or resize; null where they may. */
  readonly reserved: Reserved;
  /** Null on pipes. */
  readonly terminal: SessionTerminal | null;
  /** Throws if there is no terminal. */
  requireTerminal(): SessionTerminal;
  /** Null if the command is not an integrated shell. */
  readonly shell: ShellSession | null;
  readonly transport: Pick<Transport, "pendingInput" | "inputEnd" | "endInput" | "signal">;
  readonly termination: Pick<Termination, "members" | "stop" | "kill">;
  readonly isStarting: boolean;
  readonly hasEnded: boolean;
  input(bytes: Uint8Array): void;
  /** True if the size changed. */
  resize(size: TerminalSize): boolean;
  /** A client attached, detached or resized: restarts the idle timeout. */
  resetIdle(): void;
}

export type ControlParams = Record<string, unknown>;
export type ControlResult = Record<string, unknown> | Promise<Record<string, unknown>>;

export interface ControlTarget {
  session: ControllableSession;
  clients: Clients;
}

/**
 * Returns the result or throws a HoltError. Only requests that change nothing may answer later; all
 * others act in order.
 */
export function handleRequest(target: ControlTarget, method: string, params: ControlParams): ControlResult {
  const { session } = target;
  if (!HOLDER_METHODS.some((known) => known === method)) {
    throw new HoltError("EBADARGS", `unknown holder method: ${JSON.stringify(method)}`, {
      hint: `known methods: ${HOLDER_METHODS.join(", ")}`,
    });
  }
  if (session.isStarting) throw new HoltError("EBUSY", SESSION_STARTING);
  if (session.hasEnded && method !== "rename") throw new HoltError("ESESSIONCLOSED", SESSION_ENDED);
  return HANDLERS[method as HolderMethod](target, params);
}

const HANDLERS: Record<HolderMethod, (target: ControlTarget, params: ControlParams) => ControlResult> = {
  ...INPUT_HANDLERS,
  input_state: async ({ session }) => (await import("../session/process-probe.ts")).inputState(session),
  ports: async ({ session }) => (await import("../session/process-probe.ts")).ports(session),
  exec: async (target, params) => (await import("../shell/shell-requests.ts")).exec(target, params),
  give_up: async (target, params) => (await import("../shell/shell-requests.ts")).giveUp(target, params),
  until_prompt: async (target, params) => (await import("../shell/shell-requests.ts")).untilPrompt(target, params),
  clients: ({ clients, session }) => ({ clients: clients.list(), max_clients: session.sharing.max_clients }),
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
    const number = signalFrom(signal);
    session.transport.signal(number, "group");
    session.record.event({ type: "signal", signal: signalName(number), sender: "client" });
    return {};
  },
  stop({ session }, { signal, grace_ms, reason }) {
    if (grace_ms !== undefined && !isWithin(grace_ms, 0, MAX_GRACE_MS))
      throw badValue("grace_ms", grace_ms, `a whole number of milliseconds up to ${MAX_GRACE_MS}`);
    void session.termination.stop(reason === "daemon_shutdown" ? reason : "stop_requested", {
      ...(signal === undefined ? {} : { signal: signalFrom(signal) }),
      ...(grace_ms === undefined ? {} : { graceMs: grace_ms }),
    });
    return {};
  },
  kill({ session }) {
    void session.termination.kill("kill_requested");
    return {};
  },
  rename({ session }, { name }) {
    if (name !== null && typeof name !== "string") throw badValue("name", name, "a string or null");
    session.record.rename(name === null ? null : requireName(name));
    return {};
  },
};
