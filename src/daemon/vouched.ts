/**
 * Results that are sent without a check: made here, of values that a program of this very version made and its types describe. The check of
 * a whole session takes longer than to make one; what came from a disk or from another version is checked.
 */
const vouched = new WeakSet<object>();

export function vouchFor<T extends object>(result: T): T {
  vouched.add(result);
  return result;
}

export function isVouchedFor(result: unknown): boolean {
  return typeof result === "object" && result !== null && vouched.has(result);
}
