/** The text of a configuration file as a tree, with the place of each key; or on which line it stops being valid. */
import type { Format } from "./config-file.ts";
import { badLine } from "./bad-line.ts";
import { walkFlow } from "./places/flow.ts";
import { type Place, Places } from "./places/places.ts";
import { tomlPlaces } from "./places/toml.ts";
import { yamlPlaces } from "./places/yaml.ts";

export interface Problem {
  /** Of the file; null where it came from elsewhere. */
  line: number | null;
  message: string;
  hint: string | null;
}

export interface Tree {
  root: unknown;
  places: Places;
}

interface Language {
  parse(text: string): unknown;
  places(text: string): Place[];
  /** The parser takes a key that stands there twice, and forgets the first. */
  forgives: boolean;
}

const LANGUAGES: Record<Format, Language> = {
  toml: { parse: (text) => Bun.TOML.parse(text), places: tomlPlaces, forgives: false },
  yaml: { parse: (text) => Bun.YAML.parse(text), places: yamlPlaces, forgives: true },
  json: { parse: (text) => JSON.parse(text) as unknown, places: jsonPlaces, forgives: true },
};

export function parseConfig(text: string, format: Format): Tree | Problem {
  const language = LANGUAGES[format];
  const deep = tooDeep(text, format);
  if (deep !== null) return { line: deep, message: `more than ${MAX_DEPTH} levels deep`, hint: null };
  try {
    const root = text.trim() === "" ? {} : (language.parse(text) ?? {});
    const places = new Places(text, language.places(text));
    const circle = circleIn(root);
    if (circle !== null)
      return { line: places.lineOf(circle), message: `${circle.join(".")} is an alias to itself`, hint: null };
    const [twice] = language.forgives ? places.repeated : [];
    if (twice === undefined) return { root, places };
    return { line: twice.line, message: `${twice.path.join(".")} stands there twice`, hint: null };
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^\w+ Parse error: /, "") : String(error);
    return {
      line: badLine(text, (part) => language.parse(part), format === "json"),
      message: `not valid ${format.toUpperCase()}: ${said}`,
      hint: null,
    };
  }
}

function jsonPlaces(text: string): Place[] {
  const found: Place[] = [];
  walkFlow(text, 0, [], found);
  return found;
}

/** Settings are two or three levels deep. A tree thousands deep, or one that contains itself, would keep a parser or a walk from ending. */
const MAX_DEPTH = 64;

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** Each is a list of its own: `- - - x`. */
const NESTED_ITEMS = /^\s*((?:[-?]\s+)+)/;

/** The line on which it is; null where none is. By its brackets alone, before anybody parses it. */
function tooDeep(text: string, format: Format): number | null {
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
function circleIn(root: unknown): string[] | null {
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
