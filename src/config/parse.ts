/** The text of a configuration file as a tree, with the place of each key; or on which line it stops being valid. */
import type { Format } from "./config-file.ts";
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
  try {
    const root = text.trim() === "" ? {} : (language.parse(text) ?? {});
    const places = new Places(text, language.places(text));
    const [twice] = language.forgives ? places.repeated : [];
    if (twice === undefined) return { root, places };
    return { line: twice.line, message: `${twice.path.join(".")} stands there twice`, hint: null };
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^\w+ Parse error: /, "") : String(error);
    return { line: badLine(text, format), message: `not valid ${format.toUpperCase()}: ${said}`, hint: null };
  }
}

function jsonPlaces(text: string): Place[] {
  const found: Place[] = [];
  walkFlow(text, 0, [], found);
  return found;
}

/** The parsers do not say where they stopped: the first line that no valid beginning of the file includes. */
function badLine(text: string, format: Format): number {
  const lines = text.split("\n");
  if (format === "json") return badJsonLine(text);
  for (let count = lines.length - 1; count > 0; count--) {
    try {
      LANGUAGES[format].parse(lines.slice(0, count).join("\n"));
      return count + 1;
    } catch {
      // still in it
    }
  }
  return 1;
}

/** No beginning of a JSON text is one; but whatever is right up to some token is right again once all that is open is closed behind it. */
function badJsonLine(text: string): number {
  const TOKEN = /\s*("(?:[^"\\\n]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+)/y;
  const open: string[] = [];
  let valid = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const token = match[1] ?? "";
    if (token === "{" || token === "[") open.push(token === "{" ? "}" : "]");
    else if (token === open.at(-1)) open.pop();
    const closing = open.toReversed().join("");
    const isFine = ["", "1", '"":1', ":1"].some((filler) => parses(text.slice(0, TOKEN.lastIndex) + filler + closing));
    if (!isFine) return lineAt(text, TOKEN.lastIndex);
    valid = TOKEN.lastIndex;
  }
  return lineAt(text, valid + (/\S/.exec(text.slice(valid))?.index ?? 0));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
