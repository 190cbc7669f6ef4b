/** Finds keys between braces: in JSON files and in flow collections of YAML files. */
import type { KeyLocation } from "./key-lines.ts";

const BLANK = /(?:\s|#[^\n]*)*/y;
const DOUBLE = /"(?:[^"\\]|\\[^])*"/y;
const SINGLE = /'(?:[^']|'')*'/y;
const BARE = /[^\s,[\]{}#:"'](?:[^,[\]{}\n#:]|:(?=[^\s,[\]{}])|(?<=\S)#)*/y;

/**
 * Walks the value at `at` and returns where it ends. Skips a character that begins no value, so
 * that the walk ends.
 */
export function walkFlow(text: string, at: number, path: readonly string[], found: KeyLocation[]): number {
  const start = past(BLANK, text, at);
  if (text[start] === "{") return walkMapping(text, start + 1, path, found);
  if (text[start] !== "[") return past(scalarAt(text, start), text, start);
  let next = past(BLANK, text, start + 1);
  while (next < text.length && text[next] !== "]") {
    const end = walkFlow(text, next, [...path, "[]"], []);
    next = pastComma(text, Math.max(end, next + 1));
  }
  return Math.min(next + 1, text.length);
}

function walkMapping(text: string, from: number, path: readonly string[], found: KeyLocation[]): number {
  let at = past(BLANK, text, from);
  while (at < text.length && text[at] !== "}") {
    const end = past(scalarAt(text, at), text, at);
    const inner = [...path, unquoted(text.slice(at, end).trim())];
    if (end > at) found.push({ path: inner, at });
    const colon = past(BLANK, text, end);
    const after = text[colon] === ":" ? walkFlow(text, colon + 1, inner, found) : Math.max(colon, at + 1);
    at = pastComma(text, after);
  }
  return Math.min(at + 1, text.length);
}

function pastComma(text: string, at: number): number {
  const next = past(BLANK, text, at);
  return text[next] === "," ? past(BLANK, text, next + 1) : next;
}

function scalarAt(text: string, at: number): RegExp {
  return text[at] === '"' ? DOUBLE : text[at] === "'" ? SINGLE : BARE;
}

function past(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

export function unquoted(key: string): string {
  if (key.startsWith('"') && key.endsWith('"')) {
    try {
      return String(JSON.parse(key));
    } catch {
      return key.slice(1, -1);
    }
  }
  return key.startsWith("'") && key.endsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key;
}
