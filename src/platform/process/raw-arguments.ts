/**
 * Arguments and environment as raw bytes. A file name in an old encoding is not valid UTF-8; the
 * runtime's strings would change it.
 */
import { readFileSync } from "../fs/libc-fs.ts";
import { losslessText } from "../fs/lossless-text.ts";
import { bytesOf, startsWith, textOf } from "../../protocol/types/bytes.ts";

/** The process's last arguments, as many as `decoded`, the runtime's strings for them. */
export function rawArguments(decoded: readonly string[]): Uint8Array[] {
  const all = splitNul(readProcFile("cmdline"));
  if (all.length < decoded.length) return decoded.map(bytesOf);
  return all.slice(all.length - decoded.length);
}

/**
 * The same as lossless text (lossless-text.ts). Without U+FFFD the runtime's strings have lost
 * nothing.
 */
export function losslessArguments(decoded: readonly string[]): readonly string[] {
  return decoded.some((word) => word.includes("\ufffd")) ? rawArguments(decoded).map(losslessText) : decoded;
}

let inherited: Uint8Array[] | null = null;

/** The environment that this process was started with. */
export function inheritedEnvironment(): Uint8Array[] {
  inherited ??= splitNul(readProcFile("environ"));
  if (inherited.length === 0) inherited = Object.entries(process.env).map(([key, value]) => bytesOf(`${key}=${value}`));
  return inherited;
}

/** The same with one variable set. */
export function rawEnvironment(key: string, value: string): Uint8Array[] {
  const prefix = bytesOf(`${key}=`);
  const kept = inheritedEnvironment().filter((entry) => !startsWith(entry, prefix));
  return [...kept, bytesOf(`${key}=${value}`)];
}

/** One variable of the inherited environment; null when unset. */
export function inheritedVariable(key: string): Uint8Array | null {
  const prefix = bytesOf(`${key}=`);
  const entry = inheritedEnvironment().find((candidate) => startsWith(candidate, prefix));
  return entry?.subarray(prefix.length) ?? null;
}

export function environmentKeys(environment: readonly Uint8Array[]): string[] {
  return environment.map((entry) => keyOf(textOf(entry))).toSorted();
}

function keyOf(entry: string): string {
  const end = entry.indexOf("=", 1);
  return end < 0 ? entry : entry.slice(0, end);
}

/** Splits NUL-terminated strings. */
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
