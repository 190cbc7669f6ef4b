/** What /proc says of a process. */
import { readFileSync } from "node:fs";

/** Clean and dirty: what it would give back. */
export function privateKb(pid: number): number {
  return sumOf(rollup(pid), /^Private_(?:Clean|Dirty):\s+(\d+)/gm);
}

/** Its share of everything it uses. */
export function pssKb(pid: number): number {
  return sumOf(rollup(pid), /^Pss:\s+(\d+)/gm);
}

/** Cheap enough to be asked all the time. */
export function anonymousKb(pid: number): number {
  return sumOf(readFileSync(`/proc/${pid}/status`, "latin1"), /^RssAnon:\s+(\d+)/gm);
}

/** Its own, without its children's. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const TICKS_PER_SECOND = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
  return listed === "" ? [] : listed.split(" ").map(Number);
}

/** The process that stands between a holder and the command on its terminal. */
export function isLeader(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("holt-leader");
}

function rollup(pid: number): string {
  return readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
}

function sumOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mb(kb: number): string {
  return `${(kb / 1024).toFixed(kb < 100 * 1024 ? 1 : 0)} MB`;
}
