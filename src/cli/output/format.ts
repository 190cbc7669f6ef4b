/** Formats sizes, durations and times for a terminal. */
import { formatAge } from "../../protocol/types/duration.ts";

const UNITS = ["KiB", "MiB", "GiB", "TiB"];

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let amount = bytes;
  let unit = "B";
  for (const next of UNITS) {
    if (amount < 1023.95) break;
    amount /= 1024;
    unit = next;
  }
  return `${amount < 100 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return both(`${minutes} min`, Math.floor((ms % 60_000) / 1000), "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? both(`${hours} h`, minutes % 60, "min") : both(`${Math.floor(hours / 24)} days`, hours % 24, "h");
}

function both(large: string, rest: number, unit: string): string {
  return rest === 0 ? large : `${large} ${rest} ${unit}`;
}

/** Local time, and its distance from now. */
export function formatTime(rfc3339: string, now: number): string {
  const ago = now - Date.parse(rfc3339);
  return `${localTime(rfc3339)} (${ago < 0 ? `in ${formatAge(-ago)}` : `${formatAge(ago)} ago`})`;
}

export function localTime(rfc3339: string): string {
  const time = new Date(rfc3339);
  const part = (value: number): string => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${part(time.getMonth() + 1)}-${part(time.getDate())}`;
  const clock = `${part(time.getHours())}:${part(time.getMinutes())}:${part(time.getSeconds())}`;
  return `${day} ${clock}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
