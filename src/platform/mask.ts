/** Secrets out of what is logged. Masking too much is harmless here; `meta.json` keeps the command as it was run. */

const SENSITIVE = /token|secret|key$|password|passwd|passphrase|pass$|pwd$|credential|authorization|cookie/i;
const MASK = "***";

/** A name and what divides it from its value: `NAME=`, `name: `, `"name": `, `--name `. Linear in any text. */
const NAME = /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*|(?:\s|\\\n)+)/g;
const VALUE = /"[^"]*"|'[^']*'|(?:bearer|basic|token)\s+\S+|\S+/iy;
const USER_INFO = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;
/** What follows is a user and, after a colon, a password: of curl, wget, svn. */
const USER_FLAG = /^(?:-u|-U|--(?:proxy-)?user(?:name)?)$/;
const USER_AND_PASSWORD = /^([^\s:/]+:)\S+$/;
/** The same within a line for a shell. */
const USER_IN_LINE = /(?<![\w-])((?:-[uU]|--(?:proxy-)?user(?:name)?)(?:[ \t=]|\\\n))("[^"]*"|'[^']*'|[^\s"']+)/g;
const QUOTED_USER = /^(["']?[^\s:/"']+:)[^"']+/;
/** Tokens that say by their look what they are: of GitHub, GitLab, Slack, AWS, npm, OpenAI and others, and JSON Web Tokens. */
const TOKEN =
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_\w{20,}|sk-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;

/** Of Slack, with one character of its kind. */
const SHORTEST_TOKEN = "xoxb-0123456789".length;
const DIVIDED = /[=:\s]/;

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name);
}

/** Values of sensitive flags (`--token x`, `--token=x`), of KEY=value words and headers, passwords of users and in URLs, and tokens. */
export function maskArgv(argv: readonly string[]): string[] {
  return argv.map((word, index) => {
    const before = argv[index - 1] ?? "";
    if (!before.startsWith("-") && isHarmless(word)) return word;
    if (isSensitiveFlag(before)) return MASK;
    return maskText(USER_FLAG.test(before) ? word.replace(USER_AND_PASSWORD, `$1${MASK}`) : word);
  });
}

/** Too short for a token, and without what divides a name from its value, or a user from a password: most words, told without asking ten patterns. */
function isHarmless(word: string): boolean {
  return word.length < SHORTEST_TOKEN && !DIVIDED.test(word);
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
  return (masked + text.slice(done))
    .replaceAll(USER_INFO, `$1${MASK}@`)
    .replaceAll(USER_IN_LINE, (_, flag: string, user: string) => flag + user.replace(QUOTED_USER, `$1${MASK}`))
    .replaceAll(TOKEN, MASK);
}

/** For JSON.stringify: by key at any depth, argv by its words, and errors by what they say. */
export function maskField(key: string, value: unknown): unknown {
  if (value !== null && value !== undefined && key !== "" && isSensitive(key)) return MASK;
  if (key === "argv" && Array.isArray(value)) return maskArgv(value.map(String));
  if (value instanceof Error) return `${value.name}: ${maskText(value.message)}`;
  return typeof value === "bigint" ? String(value) : value;
}
