/** Secrets out of what is logged. Masking too much is harmless here; `meta.json` keeps the command as it was run. */

const SENSITIVE = /token|secret|key$|password|passwd|passphrase|pass$|pwd$|credential|authorization|bearer|cookie/i;
const MASK = "***";

/** A name and what divides it from its value: `NAME=`, `name: `, `"name": `, `--name `, `"--name" `. Linear in any text. */
const NAME = /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*|["']?(?:\s|\\\n)+)/g;
/** A scheme and its credentials; else a word of shell, parts of which may be quoted; an unclosed quote reaches to the end. */
const VALUE =
  /(?:bearer|basic|token)\s+\S+|(?:"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'])+|["']?(?:bearer|basic|token)\s+\S+|\S+/isy;
/** Behind a name that is quoted by itself, as in JSON. */
const MEMBER = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]]+/sy;
/** Behind a name in the same quotes. */
const REST_OF_QUOTES = { '"': /(?:[^"\\]|\\.)+/sy, "'": /[^']+/y };
/** Headers with spaces in their values. */
const HEADER = /authorization|cookie/i;
const REST_OF_LINE = /[^"'\r\n]+/y;
/** A word that is a name and its value: all behind the name is the value. */
const PAIR = /^([\w.-]+)(\s*[=:]\s*)(.+)$/s;
/** The words before a setting's name, as in `npm config set //host/:_authToken x`: flags at most, and the beginning of the name. */
const SETTING = /(?:^|\s)(?:set|config|configure)\s+(?:-\S+\s+(?:[^\s-]\S*\s+)?)*\S*$/;
/** The words behind a setting's name: the value, and flags before or after it. */
const REST_OF_COMMAND = /[^;&|\r\n]+/y;
const SETTING_LENGTH = 200;
const SETTING_WORDS = 8;
/** A shell's flag: the next word is a command line. */
const LINE_FLAG = /^-\w*c$/;
const USER_INFO = /(https?)?:\/\/([^\s/:@]*)(:[^\s/]*)?@/gi;
/** What follows is a user and, after a colon, a password: of curl, wget, svn. Flags of curl that take no value may stand before it in the same word. */
const USER_FLAG = /^(?:-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*[uU]|--(?:proxy-)?user(?:name)?)$/;
/** The same flag and its value in one word. */
const GLUED_USER = /^(-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*?[uU])([^:=]+:.*)$/s;
/** A header's name with its value in the next word, as httpie takes it. */
const HEADER_NAME = /^[\w-]+:$/;
/** The same within a line for a shell, up to the password. */
const USER_IN_LINE =
  /(?<![\w-])((?:-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*?[uU]|--(?:proxy-)?user(?:name)?(?=[ \t=\\]))(?:[ \t=]|\\\n){0,8})(["']?)([^\s:/"'=]{1,200}):/g;
/** The rest of a shell's word, parts of which may be quoted. */
const REST_OF_WORD = /(?:"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'])*/sy;
/** Two numbers are the ids of a user and a group. */
const USER = /^(?!\d+:\d+$)([^\s:/]+):(.*)$/s;
/** It stands where a password would, behind a token in the place of the user. */
const NO_PASSWORD = /^(?:x-oauth-basic)?$/;
/** Tokens that say by their look what they are: of GitHub, GitLab, Slack, AWS, npm, OpenAI and others, JSON Web Tokens, and what follows `Bearer`. */
const TOKEN =
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_\w{20,}|sk-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|[Bb]earer\s+[\w.~+/-]{12,}=*)/g;

/** Of Slack, with one character of its kind. */
const SHORTEST_TOKEN = "xoxb-0123456789".length;
const DIVIDED = /[=:\s]/;

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name);
}

/** Values of sensitive flags (`--token x`, `--token=x`), settings, KEY=value words and headers, passwords of users and in URLs, and tokens. */
export function maskArgv(argv: readonly string[]): string[] {
  let isInSetting = false;
  return argv.map((word, index) => {
    const before = argv[index - 1] ?? "";
    const isNamed = isSensitive(before);
    isInSetting ||= isNamed && !isFlag(before) && isSetting(argv, index - 1);
    if (isInSetting) return isFlag(word) ? word : MASK;
    if (!isNamed && !before.startsWith("-") && isHarmless(word)) return word;
    if (isNamed && (isFlag(before) || HEADER_NAME.test(before))) return MASK;
    if (USER_FLAG.test(before)) return maskText(maskUser(word));
    const [, flag = "", user = ""] = GLUED_USER.exec(word) ?? [];
    if (flag !== "") return flag + maskUser(user);
    return LINE_FLAG.test(before) ? maskText(word) : maskWord(word);
  });
}

/** Too short for a token, and without what divides a name from its value, or a user from a password: most words, told without asking ten patterns. */
function isHarmless(word: string): boolean {
  return word.length < SHORTEST_TOKEN && !DIVIDED.test(word);
}

function isFlag(word: string): boolean {
  return /^-[\w.-]+$/.test(word);
}

function isSetting(argv: readonly string[], index: number): boolean {
  const before = argv.slice(Math.max(0, index - SETTING_WORDS), index).join(" ");
  return SETTING.test(`${before.slice(-SETTING_LENGTH)} `);
}

/** `NAME=value`, `Name: value`, `--name=value`, and `--header=Name: value`. */
function maskWord(word: string): string {
  const [, name = "", divider = "", value = ""] = PAIR.exec(word) ?? [];
  if (isSensitive(name)) return name + divider + MASK;
  const [, inner = "", innerDivider = ""] = name.startsWith("-") ? (PAIR.exec(value) ?? []) : [];
  return isSensitive(inner) ? name + divider + inner + innerDivider + MASK : maskText(word);
}

function maskText(text: string): string {
  let masked = "";
  let done = 0;
  for (const { 0: found, 1: name = "", 2: divider = "", index } of text.matchAll(NAME)) {
    if (index < done || !isSensitive(name)) continue;
    const isPair = /[=:]/.test(divider);
    const isValueOfSetting =
      !isPair && !name.startsWith("-") && SETTING.test(text.slice(Math.max(0, index - SETTING_LENGTH), index));
    if (!isPair && !name.startsWith("-") && !isValueOfSetting) continue;
    const start = index + found.length;
    const value = isValueOfSetting
      ? matchAt(REST_OF_COMMAND, text, start)
      : valueAt(text, start, { name, divider, quote: text[index - 1] ?? "" });
    if (value === "") continue;
    masked += text.slice(done, start) + MASK;
    done = start + value.length;
  }
  return maskUsersInLine((masked + text.slice(done)).replaceAll(USER_INFO, maskUserInfo)).replaceAll(TOKEN, MASK);
}

function maskUsersInLine(text: string): string {
  let masked = "";
  let done = 0;
  for (const { 0: found, 1: flag = "", 2: opened = "", 3: user = "", index } of text.matchAll(USER_IN_LINE)) {
    if (index < done) continue;
    const start = index + found.length;
    const quote = opened === "" ? text[index - 1] : opened;
    const password = matchAt(quote === '"' || quote === "'" ? REST_OF_QUOTES[quote] : REST_OF_WORD, text, start);
    masked += text.slice(done, index) + flag + opened + maskUser(`${user}:${password}`);
    done = start + password.length;
  }
  return masked + text.slice(done);
}

/** `quote`: what the name is preceded by, whatever that is. */
function valueAt(text: string, start: number, before: { name: string; divider: string; quote: string }): string {
  const { name, divider, quote } = before;
  const isMember = /^["'].*[=:]/s.test(divider);
  const isClosed = /^["']/.test(divider);
  if (!isClosed && (quote === '"' || quote === "'")) return matchAt(REST_OF_QUOTES[quote], text, start);
  if (isMember) return matchAt(MEMBER, text, start);
  const header = HEADER.test(name) && divider.includes(":") ? matchAt(REST_OF_LINE, text, start) : "";
  return header === "" ? matchAt(VALUE, text, start) : header;
}

function matchAt(pattern: RegExp, text: string, start: number): string {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0] ?? "";
}

/** `me:password`, and `token:`, as APIs take one for a user. */
function maskUser(word: string): string {
  return word.replace(USER, (_, user: string, password: string) =>
    NO_PASSWORD.test(password) ? `${MASK}:${password}` : `${user}:${MASK}`,
  );
}

/** In a URL for the web a user without a password is a token, but for the one that git is. */
function maskUserInfo(_: string, web: string | undefined, user: string, password: string | undefined): string {
  const scheme = `${web ?? ""}://`;
  if (password !== undefined && !NO_PASSWORD.test(password.slice(1))) return `${scheme}${user}:${MASK}@`;
  const isToken = web !== undefined && user !== "" && user !== "git";
  return `${scheme}${isToken ? MASK : user}${password ?? ""}@`;
}

/** For JSON.stringify: by key at any depth, argv by its words, and errors by what they say. */
export function maskField(key: string, value: unknown): unknown {
  if (value !== null && value !== undefined && key !== "" && isSensitive(key)) return MASK;
  if (key === "argv" && Array.isArray(value)) return maskArgv(value.map(String));
  if (value instanceof Error) return `${value.name}: ${maskText(value.message)}`;
  return typeof value === "bigint" ? String(value) : value;
}
