/** Secrets out of what is logged. Masking too much is harmless here; `meta.json` keeps the command as it was run. */

const SENSITIVE = /token|secret|key$|password|passwd|credential|authorization/i;
const MASK = "***";

/** A name and what divides it from its value: `NAME=`, `name: `, `"name": `, `--name `. Linear in any text. */
const NAME = /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*|\s+)/g;
const VALUE = /"[^"]*"|'[^']*'|(?:bearer|basic|token)\s+\S+|\S+/iy;
const USER_INFO = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name);
}

/** Values of sensitive flags (`--token x`, `--token=x`), of KEY=value words and headers, and passwords in URLs. */
export function maskArgv(argv: readonly string[]): string[] {
  return argv.map((word, index) => (isSensitiveFlag(argv[index - 1] ?? "") ? MASK : maskText(word)));
}

function isSensitiveFlag(word: string): boolean {
  return /^-[\w.-]+$/.test(word) && isSensitive(word);
}

function maskText(text: string): string {
  let masked = "";
  let done = 0;
  for (const { 0: found, 1: name = "", 2: divider = "", index } of text.matchAll(NAME)) {
    const start = index + found.length;
    const isFlagOrPair = divider.trim() !== "" || name.startsWith("-");
    if (start < done || !isFlagOrPair || !isSensitive(name)) continue;
    VALUE.lastIndex = start;
    const value = VALUE.exec(text);
    if (value === null) continue;
    masked += text.slice(done, start) + MASK;
    done = start + value[0].length;
  }
  return (masked + text.slice(done)).replaceAll(USER_INFO, `$1${MASK}@`);
}

/** For JSON.stringify: by key at any depth, argv by its words, and errors by what they say. */
export function maskField(key: string, value: unknown): unknown {
  if (value !== null && value !== undefined && key !== "" && isSensitive(key)) return MASK;
  if (key === "argv" && Array.isArray(value)) return maskArgv(value.map(String));
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return typeof value === "bigint" ? String(value) : value;
}
