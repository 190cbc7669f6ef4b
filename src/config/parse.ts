/**
 * Parses a configuration file into a tree with the line of each key, or finds the line of the first
 * error.
 */
import type { Format } from "./config-file.ts";
import { badLine } from "./bad-line.ts";
import { walkFlow } from "./key-lines/flow.ts";
import { type KeyLocation, KeyLines } from "./key-lines/key-lines.ts";
import { tomlKeys } from "./key-lines/toml.ts";
import { yamlKeys } from "./key-lines/yaml.ts";

export interface Problem {
  /** Line of the file; null for a variable. */
  line: number | null;
  message: string;
  hint: string | null;
}

export interface ParsedConfig {
  root: unknown;
  keyLines: KeyLines;
}

interface Language {
  parse(text: string): unknown;
  keys(text: string): KeyLocation[];
  /** The parser accepts a duplicate key and keeps only the last value. */
  acceptsDuplicates: boolean;
}

const LANGUAGES: Record<Format, Language> = {
  toml: { parse: (text) => Bun.TOML.parse(text), keys: tomlKeys, acceptsDuplicates: false },
  yaml: { parse: (text) => Bun.YAML.parse(text), keys: yamlKeys, acceptsDuplicates: true },
  json: { parse: (text) => JSON.parse(text) as unknown, keys: jsonKeys, acceptsDuplicates: true },
};

export function parseConfig(text: string, format: Format): ParsedConfig | Problem {
  const language = LANGUAGES[format];
  const deepLine = firstTooDeepLine(text, format);
  if (deepLine !== null) return { line: deepLine, message: `nested more than ${MAX_DEPTH} levels deep`, hint: null };
  try {
    const root = text.trim() === "" ? {} : (language.parse(text) ?? {});
    const keyLines = new KeyLines(text, language.keys(text));
    const cycle = findCycle(root);
    if (cycle !== null)
      return { line: keyLines.lineOf(cycle), message: `alias to itself: ${cycle.join(".")}`, hint: null };
    const [duplicate] = language.acceptsDuplicates ? keyLines.repeated : [];
    if (duplicate === undefined) return { root, keyLines };
    return { line: duplicate.line, message: `duplicate key: ${duplicate.path.join(".")}`, hint: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^\w+ Parse error: /, "") : String(error);
    return {
      line: badLine(text, (part) => language.parse(part), { isJson: format === "json" }),
      message: `invalid ${format.toUpperCase()}: ${reason}`,
      hint: null,
    };
  }
}

function jsonKeys(text: string): KeyLocation[] {
  const found: KeyLocation[] = [];
  walkFlow(text, 0, [], found);
  return found;
}

/**
 * Settings are two or three levels deep. A tree thousands of levels deep could overflow a parser's
 * stack.
 */
const MAX_DEPTH = 64;

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** Nested YAML lists and complex keys on one line, e.g. `- - - x` or `? ? x`. */
const NESTED_ITEMS = /^\s*((?:[-?]\s+)+)/;

/**
 * The first line nested too deeply, counted by brackets before the file is parsed; null if there is
 * none.
 *
 * The count is an estimate, safe both ways. Too high (brackets in a multi-line string), it refuses
 * only a file with more than 64 unmatched brackets in text. Too low (an apostrophe in a plain YAML
 * value hides brackets), the parser's RangeError is reported as a syntax error.
 */
function firstTooDeepLine(text: string, format: Format): number | null {
  let depth = 0;
  for (const [i, line] of text.split("\n").entries()) {
    const items = format === "yaml" ? (NESTED_ITEMS.exec(line)?.[1]?.replaceAll(/\s/g, "").length ?? 0) : 0;
    if (items > MAX_DEPTH) return i + 1;
    for (const character of line.replaceAll(QUOTED, "")) {
      if (character === "[" || character === "{") depth++;
      else if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
      else if (character === "#" && format !== "json") break;
      if (depth > MAX_DEPTH) return i + 1;
    }
  }
  return null;
}

/**
 * The path to a value that contains itself, which a YAML alias can create; null if there is none.
 */
function findCycle(root: unknown): string[] | null {
  const seen = new Set<unknown>();
  const ancestors = new Set<unknown>();
  const walk = (value: unknown, path: string[]): string[] | null => {
    if (typeof value !== "object" || value === null) return null;
    if (ancestors.has(value)) return path;
    if (seen.has(value)) return null;
    seen.add(value);
    ancestors.add(value);
    for (const [key, inner] of Object.entries(value)) {
      const found = walk(inner, [...path, key]);
      if (found !== null) return found;
    }
    ancestors.delete(value);
    return null;
  };
  return walk(root, []);
}
