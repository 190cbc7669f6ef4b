/**
 * Arguments and environment as the bytes they are. A file name in an old encoding is no valid UTF-8, and the runtime's
 * strings would hand the command another name than the person typed.
 */
import { readFileSync } from "node:fs";

/** The last arguments this process was started with, as many as `decoded`, which is what the runtime made of them. */
export function rawArguments(decoded: readonly string[]): Uint8Array[] {
  const all = splitNul(readProcFile("cmdline"));
  if (all.length < decoded.length) return decoded.map((text) => Buffer.from(text));
  return all.slice(all.length - decoded.length);
}

let inherited: Uint8Array[] | null = null;

/** Our own environment, as it was given to us. */
export function inheritedEnvironment(): Uint8Array[] {
  inherited ??= splitNul(readProcFile("environ"));
  if (inherited.length === 0)
    inherited = Object.entries(process.env).map(([key, value]) => Buffer.from(`${key}=${value}`));
  return inherited;
}

/** The same with `changes` made to it. */
export function rawEnvironment(changes: Readonly<Record<string, string>>): Uint8Array[] {
  const kept = inheritedEnvironment().filter((entry) => !(keyOf(entry) in changes));
  return [...kept, ...Object.entries(changes).map(([key, value]) => Buffer.from(`${key}=${value}`))];
}

export function environmentKeys(environment: readonly Uint8Array[]): string[] {
  return environment.map(keyOf).toSorted();
}

function keyOf(entry: Uint8Array): string {
  const end = entry.indexOf(0x3d, 1);
  return Buffer.from(end < 0 ? entry : entry.subarray(0, end)).toString();
}

/** The strings between NULs; each ends with one. */
export function splitNul(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

function readProcFile(name: "cmdline" | "environ"): Uint8Array {
  try {
    return readFileSync(`/proc/self/${name}`);
  } catch {
    return new Uint8Array(0);
  }
}
