/** Results that stay as they are, and may be sent again and again: their text need be made only once. */
const LASTING = Symbol("lasting");

/** With all that is in it, it cannot be changed any more. */
export function lasting<T extends object>(value: T): T {
  Object.defineProperty(value, LASTING, { value: true });
  return frozen(value);
}

export function isLasting(value: unknown): value is object {
  return typeof value === "object" && value !== null && LASTING in value;
}

export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
