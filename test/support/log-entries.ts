/** What a bench's processes wrote of themselves, and of the calls that they answered. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import type { Bench } from "./holt.ts";

export type Entry = Readonly<Record<string, unknown>>;
type File = "holt" | "audit";

/** A correlation id of holt's own. */
export const OWN_ID = /^[a-z0-9]+-[a-z0-9]+$/;

/** What a caller may try to bring into headers and logs as its id. */
export const HOSTILE_IDS = [
  "",
  " ",
  "-rf",
  "a b",
  "a,b",
  "a;b=c",
  'a"b',
  "a\\b",
  "<script>",
  "${jndi:x}",
  "../../etc/passwd",
  "\u202etxt",
  "a\u0000b",
  "é",
  "x".repeat(129),
  "x".repeat(7000),
];

export function logEntries({ state }: Bench, file: File): Entry[] {
  const path = join(state, "log", `${file}.jsonl`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}

/** All entries of a call, once there is one: what only reads is written a moment later. */
export async function entriesOf(bench: Bench, file: File, id: string): Promise<Entry[]> {
  const find = (): Entry[] => logEntries(bench, file).filter((entry) => entry["correlation_id"] === id);
  await until(`${id} is in ${file}.jsonl`, () => find().length > 0);
  return find();
}
