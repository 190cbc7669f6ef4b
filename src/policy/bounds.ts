/**
 * Default and maximum timeouts and limits of a session that an API caller starts. A request above
 * the maximum is lowered to it, not denied.
 */
import { type Limits, NO_LIMITS } from "../protocol/types/limits.ts";

export interface Bounds {
  /** Default; null: no timeout. */
  timeoutMs: number | null;
  idleTimeoutMs: number | null;
  /** Default for sessions on a terminal; it takes precedence over `idleTimeoutMs`. */
  terminalIdleTimeoutMs: number | null;
  limits: Limits;
  /** Maximum; null: none. */
  maxTimeoutMs: number | null;
  maxSessions: number | null;
  maxOutputBytes: number | null;
  maxLimits: Limits;
}

export function hasBounds({ limits, maxLimits, ...amounts }: Bounds): boolean {
  return [limits, maxLimits, amounts].some((each) => Object.values(each).some((amount) => amount !== null));
}

export interface BoundedValues {
  timeout_ms: number | null;
  max_output_bytes: number;
  limits: Limits | null;
  linger: boolean;
}

/** `life_ms` bounds the total lifetime of a session that restarts. */
export function withinBounds(bounds: Bounds, requested: BoundedValues): BoundedValues & { life_ms: number | null } {
  return {
    timeout_ms: atMost(requested.timeout_ms ?? bounds.timeoutMs, bounds.maxTimeoutMs),
    max_output_bytes: Math.min(requested.max_output_bytes, bounds.maxOutputBytes ?? Infinity),
    limits: limitsWithin(bounds, requested.limits),
    // Lingering processes would escape the timeout and the session count.
    linger: requested.linger && bounds.maxTimeoutMs === null && bounds.maxSessions === null,
    life_ms: bounds.maxTimeoutMs,
  };
}

function limitsWithin({ limits, maxLimits }: Bounds, requested: Limits | null): Limits | null {
  const within = { ...NO_LIMITS };
  let isLimited = false;
  for (const name of NAMES) {
    within[name] = atMost(requested?.[name] ?? limits[name], maxLimits[name]);
    isLimited ||= within[name] !== null;
  }
  return isLimited ? within : null;
}

const NAMES = Object.keys(NO_LIMITS) as (keyof Limits)[];

/** Null means unlimited. */
function atMost(value: number | null, most: number | null): number | null {
  if (value === null || most === null) return value ?? most;
  return Math.min(value, most);
}

/** Idle timeout of a terminal started over HTTP, whose client may never return. */
const HTTP_IDLE_MS = 900_000;

export interface RequestedIdleTimeout {
  /** `none`: the caller passed null. */
  requested: number | "none" | null;
  hasTerminal: boolean;
  isOverHttp: boolean;
}

/**
 * The caller's value, else the configured one, else 15 minutes for a terminal over HTTP. Null: no
 * idle timeout.
 */
export function idleTimeoutMs(
  bounds: Bounds,
  { requested, hasTerminal, isOverHttp }: RequestedIdleTimeout,
): number | null {
  if (requested !== null) return requested === "none" ? null : requested;
  const configured = (hasTerminal ? bounds.terminalIdleTimeoutMs : null) ?? bounds.idleTimeoutMs;
  return configured ?? (hasTerminal && isOverHttp ? HTTP_IDLE_MS : null);
}
