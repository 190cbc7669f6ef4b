/** Validates parameters of control requests. An error names the value and what is expected. */
import { signalNumber } from "../../platform/process/signals.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_CELLS, MAX_DIMENSION, MAX_INPUT_BYTES } from "../../protocol/wire/holder-methods.ts";
import { tooMuchInput } from "../../protocol/wire/input-limit.ts";
import type { Reservation } from "../session/reserved.ts";

export function requireFree(reserved: Reservation | null, what: string): void {
  if (reserved === null) return;
  const { why, hint } = reserved;
  throw new HoltError("EDENIED", `this session cannot be ${what}: ${why}`, { hint });
}

export function decodeBase64(data: unknown): Uint8Array {
  if (typeof data === "string" && data.length > Math.ceil(MAX_INPUT_BYTES / 3) * 4)
    throw tooMuchInput(Math.floor((data.length * 3) / 4));
  try {
    if (typeof data === "string") return Uint8Array.fromBase64(data);
  } catch {
    // reported below
  }
  throw badValue("data", typeof data === "string" ? `${data.slice(0, 20)}…` : data, "base64");
}

function dimension(name: string, value: unknown): number {
  if (isWithin(value, 1, MAX_DIMENSION)) return value;
  throw badValue(name, value, `a whole number from 1 to ${MAX_DIMENSION}`);
}

/** The emulator limits the number of cells. */
export function sizeOf(cols: unknown, rows: unknown): { cols: number; rows: number } {
  const size = { cols: dimension("cols", cols), rows: dimension("rows", rows) };
  if (size.cols * size.rows <= MAX_CELLS) return size;
  throw badValue("size", `${size.cols}x${size.rows}`, `at most ${MAX_CELLS} cells`);
}

export function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

export function signalFrom(name: unknown): number {
  const number = typeof name === "string" && /^SIG[A-Z0-9+]{1,12}$/.test(name) ? signalNumber(name) : Number.NaN;
  if (isWithin(number, 1, 64)) return number;
  throw badValue("signal", name, "the name of a signal, e.g. SIGINT");
}

export function badValue(name: string, value: unknown, expected: string): HoltError {
  return new HoltError("EBADARGS", `invalid ${name} ${JSON.stringify(value) ?? "(missing)"}`, {
    hint: `use ${expected}`,
  });
}
