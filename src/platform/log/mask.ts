/**
 * Masks secrets in log entries. Masking too much is harmless here: `meta.json` keeps the command as
 * it was run.
 */

const SENSITIVE = /token|secret|key$|password|passwd|passphrase|pass$|pwd$|credential|authorization|bearer|cookie/i;
const MASK = "***";

/**
 * A name and its divider: `NAME=`, `name: `, `"name": `, `--name `, `"--name" `. Runs in linear
 * time.
 */
const NAME = /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*|["']?(?:\s|\\\n)+)/g;
/**
 * A scheme and its credentials, or a shell word, parts of which may be quoted. An unclosed quote
 * reaches to the end.
 */
const VALUE =
  /(?:bearer|basic|token)\s+\S+|(?:"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'])+|["']?(?:bearer|basic|token)\s+\S+|\S+/isy;
/** The value after a name that has its own quotes, as in JSON. */
const MEMBER = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]]+/sy;
/** The value after a name inside the same quotes. */
const REST_OF_QUOTES = { '"': /(?:[^"\\]|\\.)+/sy, "'": /[^']+/y };
/** Headers whose values contain spaces. */
const HEADER = /authorization|cookie/i;
const REST_OF_LINE = /[^"'\r\n]+/y;
/** A word that holds a name and its value; the value reaches to the end of the word. */
const PAIR = /^([\w.-]+)(\s*[=:]\s*)(.+)$/s;
/**
 * The words before a setting's name, as in `npm config set //host/:_authToken x`: flags, and the
 * beginning of the name.
 */
const SETTING = /(?:^|\s)(?:set|config|configure)\s+(?:-\S+\s+(?:[^\s-]\S*\s+)?)*\S*$/;
/** The words after a setting's name: the value, and flags before or after it. */
const REST_OF_COMMAND = /[^;&|\r\n]+/y;
const SETTING_LENGTH = 200;
const SETTING_WORDS = 8;
/** A shell's `-c`: the next word is a command line. */
const LINE_FLAG = /^-\w*c$/;
const USER_INFO = /(https?)?:\/\/([^\s/:@]*)(:[^\s/]*)?@/gi;
/**
 * A flag of curl, wget or svn whose value is `user:password`. Flags of curl that take no value may
 * come before it in the same word.
 */
const USER_FLAG = /^(?:-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*[uU]|--(?:proxy-)?user(?:name)?)$/;
/** The same flag and its value in one word. */
const GLUED_USER = /^(-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*?[uU])([^:=]+:.*)$/s;
/** A header's name whose value is the next word, as httpie takes it. */
const HEADER_NAME = /^[\w-]+:$/;
/** A user flag inside a command line, up to the password. */
const USER_IN_LINE =
  /(?<![\w-])((?:-[#0-46aBfgGiIjJklLMnNOpqRsSvZ]*?[uU]|--(?:proxy-)?user(?:name)?(?=[ \t=\\]))(?:[ \t=]|\\\n){0,8})(["']?)([^\s:/"'=]{1,200}):/g;
/** The rest of a shell word, parts of which may be quoted. */
const REST_OF_WORD = /(?:"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'])*/sy;
/** `user:password`. Two numbers are the ids of a user and a group instead. */
const USER = /^(?!\d+:\d+$)([^\s:/]+):(.*)$/s;
/** Stands for the password where the user part is a token. */
const NO_PASSWORD = /^(?:x-oauth-basic)?$/;
/**
 * Tokens with a recognizable form: GitHub, GitLab, Slack, AWS, npm, OpenAI and others, JSON Web
 * Tokens, and the word after `Bearer`.
 */
const TOKEN =
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_\w{20,}|sk-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|[Bb]earer\s+[\w.~+/-]{12,}=*)/g;

/** A Slack token, the shortest form that TOKEN matches. */
const SHORTEST_TOKEN = "xoxb-0123456789".length;
const DIVIDED = /[=:\s]/;

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name);
}

/**
 * Masks the values of sensitive flags (`--token x`, `--token=x`), settings, KEY=value words and
 * headers, passwords of users and in URLs, and tokens.
 */
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

/** Too short for a token and without a divider. Most words are, and skip the ten patterns. */
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

/** `quote`: the character before the name, a quote or not. */
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

/** Masks `me:password`, and `token:`, where an API takes a token as the user. */
function maskUser(word: string): string {
  return word.replace(USER, (_, user: string, password: string) =>
    NO_PASSWORD.test(password) ? `${MASK}:${password}` : `${user}:${MASK}`,
  );
}

/** In an http URL, a user without a password is a token; the user `git` is not. */
function maskUserInfo(_: string, web: string | undefined, user: string, password: string | undefined): string {
  const scheme = `${web ?? ""}://`;
  if (password !== undefined && !NO_PASSWORD.test(password.slice(1))) return `${scheme}${user}:${MASK}@`;
  const isToken = web !== undefined && user !== "" && user !== "git";
  return `${scheme}${isToken ? MASK : user}${password ?? ""}@`;
}

/**
 * A replacer for JSON.stringify: masks by key at any depth, argv word by word, and error messages.
 */
export function maskField(key: string, value: unknown): unknown {
  if (value !== null && value !== undefined && key !== "" && isSensitive(key)) return MASK;
  if (key === "argv" && Array.isArray(value)) return maskArgv(value.map(String));
  if (value instanceof Error) return `${value.name}: ${maskText(value.message)}`;
  return typeof value === "bigint" ? String(value) : value;
}
