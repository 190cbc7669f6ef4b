/**
 * Finds the keys of a TOML file: table headers, dotted and quoted keys, and keys of inline tables.
 */
import type { KeyLocation } from "./key-lines.ts";

const BLANK = /(?:\s|#[^\n]*)*/y;
const SPACE = /[ \t]*/y;
const REST_OF_LINE = /[^\n]*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** Multi-line strings first: they begin like the others. */
const STRINGS = [/"""(?:[^\\]|\\[^])*?"{3,5}/y, /'''[^]*?'{3,5}/y, /"(?:[^"\\\n]|\\.)*"/y, /'[^'\n]*'/y];
const SCALAR = /[^,\]}\n#]*/y;

export function tomlKeys(text: string): KeyLocation[] {
  const walk = new Walk(text);
  walk.file();
  return walk.found;
}

class Walk {
  readonly found: KeyLocation[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  file(): void {
    let table: string[] = [];
    for (this.#take(BLANK); this.#at < this.#text.length; this.#take(BLANK)) {
      const start = this.#at;
      if (this.#text[start] === "[") {
        const isArrayTable = this.#text[start + 1] === "[";
        this.#at += isArrayTable ? 2 : 1;
        table = this.#key();
        if (!isArrayTable) this.found.push({ path: table, at: start });
      } else this.#pair(table);
      this.#take(REST_OF_LINE);
      if (this.#at === start) return; // not TOML
    }
  }

  #pair(table: readonly string[]): void {
    const at = this.#at;
    const path = [...table, ...this.#key()];
    this.found.push({ path, at });
    this.#take(SPACE);
    if (this.#text[this.#at] !== "=") return;
    this.#at++;
    this.#take(SPACE);
    this.#value(path);
  }

  #key(): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#take(SPACE);
      const quoted =
        STRINGS.slice(2)
          .map((string) => this.#take(string))
          .find((part) => part !== "") ?? "";
      const part = quoted === "" ? this.#take(BARE_KEY) : quoted.slice(1, -1);
      if (part === "" && quoted === "") return parts;
      parts.push(quoted.startsWith('"') ? unescaped(quoted) : part);
      this.#take(SPACE);
      if (this.#text[this.#at] !== ".") return parts;
      this.#at++;
    }
  }

  #value(path: readonly string[]): void {
    const opening = this.#text[this.#at];
    if (opening === "[" || opening === "{") return this.#collection(path, opening);
    for (const string of STRINGS) if (this.#take(string) !== "") return;
    this.#take(SCALAR);
  }

  #collection(path: readonly string[], opening: "[" | "{"): void {
    const closing = opening === "[" ? "]" : "}";
    this.#at++;
    for (this.#take(BLANK); this.#at < this.#text.length && this.#text[this.#at] !== closing; this.#take(BLANK)) {
      const start = this.#at;
      if (opening === "{") this.#pair(path);
      else this.#value([...path, "[]"]);
      this.#take(BLANK);
      if (this.#text[this.#at] === ",") this.#at++;
      else if (this.#at === start) return; // not TOML
    }
    this.#at++;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1); // an escape that JSON lacks; no known key contains one
  }
}
