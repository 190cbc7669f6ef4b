/** Settings are two or three levels deep. What is thousands deep, or has itself inside, is a mistake that would keep a parser, or whoever walks the tree, from ever ending. */
import type { Format } from "./config-file.ts";

export const MAX_DEPTH = 64;

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** Each is a list of its own: `- - - x`. */
const NESTED_ITEMS = /^\s*((?:[-?]\s+)+)/;

/** The line on which it is; null where none is. By its brackets alone, before anybody parses it. */
export function tooDeep(text: string, format: Format): number | null {
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

/** The keys that lead to something that has itself inside; null where nothing has. */
export function circleIn(root: unknown): string[] | null {
  const seen = new Set<unknown>();
  const around = new Set<unknown>();
  const walk = (value: unknown, path: string[]): string[] | null => {
    if (typeof value !== "object" || value === null) return null;
    if (around.has(value)) return path;
    if (seen.has(value)) return null;
    seen.add(value);
    around.add(value);
    for (const [key, inner] of Object.entries(value)) {
      const found = walk(inner, [...path, key]);
      if (found !== null) return found;
    }
    around.delete(value);
    return null;
  };
  return walk(root, []);
}
