/** How much a session of a caller of the API may have: what it did not ask for, and no more than the most. Nothing is denied: it gets less. */
import { type Limits, NO_LIMITS } from "../protocol/types/limits.ts";

export interface Bounds {
  /** Where nothing was asked for; null: nothing. */
  timeoutMs: number | null;
  idleTimeoutMs: number | null;
  /** The same for sessions on a terminal, before it. */
  terminalIdleTimeoutMs: number | null;
  limits: Limits;
  /** The most; null: there is none. */
  maxTimeoutMs: number | null;
  maxSessions: number | null;
  maxOutputBytes: number | null;
  maxLimits: Limits;
}

export function isBounding({ limits, maxLimits, ...amounts }: Bounds): boolean {
  return [limits, maxLimits, amounts].some((each) => Object.values(each).some((amount) => amount !== null));
}

export interface BoundedValues {
  timeout_ms: number | null;
  max_output_bytes: number;
  limits: Limits | null;
  linger: boolean;
}

/** With the life of all attempts together, of what is started again. */
export function bounded(bounds: Bounds, asked: BoundedValues): BoundedValues & { life_ms: number | null } {
  return {
    timeout_ms: atMost(asked.timeout_ms ?? bounds.timeoutMs, bounds.maxTimeoutMs),
    max_output_bytes: Math.min(asked.max_output_bytes, bounds.maxOutputBytes ?? Infinity),
    limits: limitsWithin(bounds, asked.limits),
    // Nobody would end, or count, what is left to itself.
    linger: asked.linger && bounds.maxTimeoutMs === null && bounds.maxSessions === null,
    life_ms: bounds.maxTimeoutMs,
  };
}

function limitsWithin({ limits, maxLimits }: Bounds, asked: Limits | null): Limits | null {
  const within = { ...NO_LIMITS };
  let isLimited = false;
  for (const name of NAMES) {
    within[name] = atMost(asked?.[name] ?? limits[name], maxLimits[name]);
    isLimited ||= within[name] !== null;
  }
  return isLimited ? within : null;
}

const NAMES = Object.keys(NO_LIMITS) as (keyof Limits)[];

/** Null is without a limit, and so more than any. */
function atMost(value: number | null, most: number | null): number | null {
  if (value === null || most === null) return value ?? most;
  return Math.min(value, most);
}

/** For a terminal started over HTTP: its client may have gone for good. */
const HTTP_IDLE_MS = 900_000;

export interface RequestedIdleTimeout {
  /** `none`: the caller named null. */
  named: number | "none" | null;
  hasTerminal: boolean;
  isOverHttp: boolean;
}

/** The caller's value, else the configured one, else 15 minutes for a terminal over HTTP. Null: it may be idle for ever. */
export function idleTimeoutMs(bounds: Bounds, { named, hasTerminal, isOverHttp }: RequestedIdleTimeout): number | null {
  if (named !== null) return named === "none" ? null : named;
  const usual = (hasTerminal ? bounds.terminalIdleTimeoutMs : null) ?? bounds.idleTimeoutMs;
  return usual ?? (hasTerminal && isOverHttp ? HTTP_IDLE_MS : null);
}
