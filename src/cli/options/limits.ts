/** `--limit cpu=10s,memory=1G,files=256,processes=64,file-size=100M,session-memory=2G,session-processes=100`. */
import { parseByteSize } from "../../protocol/types/byte-size.ts";
import { parseDuration } from "../../protocol/types/duration.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { LIMIT_WORDS, type Limits, NO_LIMITS } from "../../protocol/types/limits.ts";
import { nearest } from "../../protocol/methods/nearest.ts";

type Word = (typeof LIMIT_WORDS)[number];

interface Kind {
  field: keyof Limits;
  parse: (text: string) => number | null;
  /** What to write instead of what is none. */
  use: string;
}

const KINDS: Record<Word, Kind> = {
  cpu: { field: "cpu_ms", parse: parseDuration, use: "a duration, e.g. cpu=90s, cpu=1h30m" },
  memory: { field: "memory_bytes", parse: parseByteSize, use: "bytes, with K, M, G or T, e.g. memory=512M" },
  files: { field: "files", parse: parseCount, use: "a whole number from 1 on, e.g. files=256" },
  processes: { field: "processes", parse: parseCount, use: "a whole number from 1 on, e.g. processes=64" },
  "file-size": { field: "file_size_bytes", parse: parseByteSize, use: "bytes, with K, M, G or T, e.g. file-size=100M" },
  "session-memory": {
    field: "session_memory_bytes",
    parse: parseByteSize,
    use: "bytes, with K, M, G or T, e.g. session-memory=2G",
  },
  "session-processes": {
    field: "session_processes",
    parse: parseCount,
    use: "a whole number from 1 on, e.g. session-processes=100",
  },
};

/** Null when there is none. Of one that is given twice the last counts. */
export function limitsOf(given: readonly string[]): Limits | null {
  if (given.length === 0) return null;
  const limits: Limits = { ...NO_LIMITS };
  for (const setting of given.flatMap((list) => list.split(","))) {
    const { kind, text } = settingOf(setting);
    const most = kind.parse(text);
    if (most === null || most < 1) throw invalid(setting, `use ${kind.use}`);
    limits[kind.field] = most;
  }
  return limits;
}

function settingOf(setting: string): { kind: Kind; text: string } {
  const end = setting.indexOf("=");
  if (end < 0) throw invalid(setting, "use WHAT=MOST, e.g. cpu=10s,memory=1G");
  const name = setting.slice(0, end);
  const word = LIMIT_WORDS.find((known) => known === name);
  if (word !== undefined) return { kind: KINDS[word], text: setting.slice(end + 1) };
  const near = nearest(name, LIMIT_WORDS);
  throw invalid(setting, near === null ? `there are ${LIMIT_WORDS.join(", ")}` : `did you mean ${near}?`);
}

function invalid(setting: string, hint: string): HoltError {
  return new HoltError("EBADARGS", `invalid --limit "${setting}"`, { hint });
}

function parseCount(text: string): number | null {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}
