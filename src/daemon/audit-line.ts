/** The audit's line of a call that started nothing, put together of what changes with each call and of bytes that are kept: to make all of it anew would be a tenth of what a small call takes. */
import { bytesOf, joined } from "../protocol/bytes.ts";
import { TABLE } from "../protocol/table.schema.ts";
import { type Ended, codeOf, fieldsOf, now, numberIn, sessionIn } from "./audit-fields.ts";
import type { Caller } from "./caller.ts";
import type { GatheredLines } from "./gathered-lines.ts";
import { inputBytesIn } from "./input-bytes.ts";
import { outputBytesIn } from "./output-bytes.ts";
import type { Passage } from "./passages.ts";

/** Of numbers and codes. */
const MOST_REST = 1024;
const DURATION = ',"duration_ms":';
const ALL_WELL = bytesOf(',"error":null,"exit_code":null,"input_bytes":0,"output_bytes":0}\n');

export function addShortLine(lines: GatheredLines, { passage, durationMs, outcome }: Ended): void {
  const { epoch, serial, method, params } = passage;
  const result = "result" in outcome ? fieldsOf(outcome.result) : {};
  const start = startNow(epoch);
  const { alone, named } = calledBy(passage);
  const session = sessionIn(method, result, fieldsOf(params));
  const known = session === null ? alone : joined([named, bytesOf(`${JSON.stringify(session)}${DURATION}`)]);
  lines.need(start.length + known.length + MOST_REST);
  lines.bytes(start);
  lines.digits(serial);
  lines.bytes(known);
  lines.ascii(shown(durationMs));
  const error = "error" in outcome ? codeOf(outcome.error) : null;
  const exit = numberIn(result["exit_code"]) ?? numberIn(result["rc"]);
  const input = inputBytesIn(params);
  const output = outputBytesIn(result);
  if (error === null && exit === null && input === 0 && output === 0) return lines.bytes(ALL_WELL);
  const told = error === null ? "null" : `"${error}"`;
  lines.ascii(`,"error":${told},"exit_code":${exit},"input_bytes":${input},"output_bytes":${output}}\n`);
}

/** Of microseconds. To write a fraction down takes longer than all else here, and most calls take one of few times. */
const shortTimes: string[] = [];
const SHORT_US = 1000;

function shown(ms: number): string {
  const us = Math.round(ms * 1000);
  if (us < 0 || us >= SHORT_US) return String(us / 1000);
  return (shortTimes[us] ??= String(us / 1000));
}

let last = { time: "", epoch: "", bytes: bytesOf("") };

function startNow(epoch: string): Uint8Array {
  const time = now();
  if (time !== last.time || epoch !== last.epoch)
    last = { time, epoch, bytes: bytesOf(`{"time":"${time}","correlation_id":"${epoch}-`) };
  return last.bytes;
}

/** Up to the session, and where there is none, up to the duration. */
interface Called {
  named: Uint8Array;
  alone: Uint8Array;
}

/** Of a connection's caller, by the name that it called. */
const kept = new WeakMap<Caller, Map<string, Called>>();

function calledBy({ caller, method, alias }: Passage): Called {
  const name = alias ?? method;
  const known = kept.get(caller)?.get(name);
  if (known !== undefined) return known;
  const named = JSON.stringify(method.slice(0, 80));
  const other = alias === null ? "" : `"alias":${JSON.stringify(alias)},`;
  const { label, kind, pid } = caller;
  const called = bytesOf(
    `","method":${named},${other}"caller":${JSON.stringify(label)},"caller_kind":"${kind}","caller_pid":${pid},"session_id":`,
  );
  const made = { named: called, alone: joined([called, bytesOf(`null${DURATION}`)]) };
  // A name that there is none of may be any, and every one another.
  if (!TABLE.has(method)) return made;
  const names = kept.get(caller) ?? new Map<string, Called>();
  kept.set(caller, names.set(name, made));
  return made;
}
