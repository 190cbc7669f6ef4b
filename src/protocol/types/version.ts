/** holt's version, from package.json at build time. */
declare const HOLT_VERSION: string;

export const VERSION: string = typeof HOLT_VERSION === "string" ? HOLT_VERSION : "0.0.0-dev";

/** Whether `a` is an older version than `b`. A text that is not a version is older than none. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (const [i, number] of left.entries()) if (number !== right[i]) return number < (right[i] ?? 0);
  return false;
}

function numbersOf(version: string): number[] {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1) ?? [];
  return parts.map(Number);
}
