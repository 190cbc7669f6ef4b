/** Parses `--limit cpu=10s,memory=1G,…`. */
import { parseByteSize } from "../../protocol/types/byte-size.ts";
import { parseDuration } from "../../protocol/types/duration.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { LIMIT_WORDS, type Limits, NO_LIMITS } from "../../protocol/types/limits.ts";
import { nearest } from "../../protocol/methods/nearest.ts";

type Word = (typeof LIMIT_WORDS)[number];

interface LimitOption {
  field: keyof Limits;
  parse: (text: string) => number | null;
  /** Recommended value, for the hint of an error. */
  expected: string;
}

const LIMIT_OPTIONS: Record<Word, LimitOption> = {
  cpu: { field: "cpu_ms", parse: parseDuration, expected: "a duration, e.g. cpu=90s, cpu=1h30m" },
  memory: { field: "memory_bytes", parse: parseByteSize, expected: "bytes, with K, M, G or T, e.g. memory=512M" },
  files: { field: "files", parse: parseCount, expected: "a whole number from 1 on, e.g. files=256" },
  processes: { field: "processes", parse: parseCount, expected: "a whole number from 1 on, e.g. processes=64" },
  "file-size": {
    field: "file_size_bytes",
    parse: parseByteSize,
    expected: "bytes, with K, M, G or T, e.g. file-size=100M",
  },
  "session-memory": {
    field: "session_memory_bytes",
    parse: parseByteSize,
    expected: "bytes, with K, M, G or T, e.g. session-memory=2G",
  },
  "session-processes": {
    field: "session_processes",
    parse: parseCount,
    expected: "a whole number from 1 on, e.g. session-processes=100",
  },
};

/** Null when no limit is given. The last value of a repeated limit counts. */
export function limitsOf(given: readonly string[]): Limits | null {
  if (given.length === 0) return null;
  const limits: Limits = { ...NO_LIMITS };
  for (const setting of given.flatMap((list) => list.split(","))) {
    const { limit, text } = parseLimit(setting);
    const most = limit.parse(text);
    if (most === null || most < 1) throw invalid(setting, `use ${limit.expected}`);
    limits[limit.field] = most;
  }
  return limits;
}

function parseLimit(setting: string): { limit: LimitOption; text: string } {
  const end = setting.indexOf("=");
  if (end < 0) throw invalid(setting, "use WHAT=MOST, e.g. cpu=10s,memory=1G");
  const name = setting.slice(0, end);
  const word = LIMIT_WORDS.find((known) => known === name);
  if (word !== undefined) return { limit: LIMIT_OPTIONS[word], text: setting.slice(end + 1) };
  const near = nearest(name, LIMIT_WORDS);
  throw invalid(setting, near === null ? `use one of ${LIMIT_WORDS.join(", ")}` : `did you mean ${near}?`);
}

function invalid(setting: string, hint: string): HoltError {
  return new HoltError("EBADARGS", `invalid --limit: "${setting}"`, { hint });
}

function parseCount(text: string): number | null {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}
