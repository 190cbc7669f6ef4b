/**
 * Starts an interactive shell with holt's integration, without changing the user's files: bash by
 * an --rcfile that reads the user's file first, or where bash reads none, by PROMPT_COMMAND in the
 * environment; zsh by a ZDOTDIR that restores the user's; fish by --init-command. The scripts lie
 * in run/, are the same for every session of a build, and are read once.
 */
import { fileConstants } from "../../platform/native/constants.ts";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import { closeSync, makeDirectories, openIfThere, openSync, renameSync, writeAll } from "../../platform/fs/libc-fs.ts";
import { bytesOf, joined, startsWith, textOf } from "../../protocol/types/bytes.ts";
import type { ShellName } from "../../protocol/types/shell-command.ts";
import type { Layout } from "../../transcript/layout.ts";
import BASH from "./integration.bash" with { type: "text" };
import FISH from "./integration.fish" with { type: "text" };
import ZSH from "./integration.zsh" with { type: "text" };
import { fishWord } from "./rejoin.ts";
import { parseShellCommand, type ShellCommandLine } from "./parse-shell-command.ts";

export interface IntegratedCommand {
  shell: ShellName;
  /**
   * Carried by every mark, so that no other output is taken for one by chance. A program can find
   * it: docs/security.md.
   */
  key: string;
  scripts: string;
  argv: Uint8Array[];
  env: Uint8Array[];
}

interface LaunchRequest {
  layout: Layout;
  argv: readonly Uint8Array[];
  env: readonly Uint8Array[];
  inbox: string;
}

const KEY_BYTES = 12;
const EMPTY = new Uint8Array(0);
/** bash's own default, if HOME is not set. */
const HOME_OF_BASH = "-";
/** Also in integration.bash, which removes it. */
const SOURCE_SCRIPT = '. "$__HOLT_SCRIPT"';

/** Null if the command is no interactive shell. */
export function integratedCommand({ layout, argv, env, inbox }: LaunchRequest): IntegratedCommand | null {
  const words = parseShellCommand(argv, textOf);
  if (words === null) return null;
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  const scripts = writeScripts(layout);
  const own = { __HOLT_KEY: key, __HOLT_INBOX: inbox };
  const name = argv[0] ?? EMPTY;
  const start = STARTS[words.shell]({ words, scripts, env });
  return {
    shell: words.shell,
    key,
    scripts,
    argv: [name, ...start.argv],
    env: withVariables(env, { ...own, ...start.env }),
  };
}

interface Start {
  argv: Uint8Array[];
  env: Record<string, Uint8Array | string>;
}

interface StartContext {
  words: ShellCommandLine;
  scripts: string;
  env: readonly Uint8Array[];
}

const STARTS: Record<ShellName, (context: StartContext) => Start> = {
  bash({ words: { kept, startup }, scripts, env }) {
    const script = `${scripts}/bash`;
    if (startup === "usual" || typeof startup === "object") {
      const home = variable(env, "HOME");
      const usual = home === null ? bytesOf(HOME_OF_BASH) : joined([home, bytesOf("/.bashrc")]);
      const rc = typeof startup === "object" ? startup.rcfile : usual;
      return { argv: [bytesOf("--rcfile"), bytesOf(script), ...kept], env: { __HOLT_RC: rc } };
    }
    const before = variable(env, "PROMPT_COMMAND");
    const inherited = before === null ? "" : `;${textOf(before)}`;
    return {
      argv: [...kept],
      env: {
        PROMPT_COMMAND: `${SOURCE_SCRIPT}${inherited}`,
        __HOLT_SCRIPT: script,
        ...(before === null ? {} : { __HOLT_EXPORTED: "1" }),
      },
    };
  },
  zsh({ words: { kept, startup }, scripts, env }) {
    const before = variable(env, "ZDOTDIR");
    return {
      argv: [...kept],
      env: {
        ZDOTDIR: `${scripts}/zsh`,
        ...(before === null ? {} : { __HOLT_ZDOTDIR: before }),
        ...(startup === "none" ? { __HOLT_NO_RCS: "1" } : {}),
      },
    };
  },
  fish({ words: { kept }, scripts }) {
    return { argv: [...kept, bytesOf("--init-command"), bytesOf(`source ${fishWord(`${scripts}/fish`)}`)], env: {} };
  },
};

function variable(env: readonly Uint8Array[], key: string): Uint8Array | null {
  const prefix = bytesOf(`${key}=`);
  return env.find((entry) => startsWith(entry, prefix))?.subarray(prefix.length) ?? null;
}

function withVariables(env: readonly Uint8Array[], set: Start["env"]): Uint8Array[] {
  const prefixes = Object.keys(set).map((key) => bytesOf(`${key}=`));
  const kept = env.filter((entry) => !prefixes.some((prefix) => startsWith(entry, prefix)));
  const added = Object.entries(set).map(([key, value]) => {
    const bytes = typeof value === "string" ? bytesOf(value) : value;
    return joined([bytesOf(`${key}=`), bytes]);
  });
  return [...kept, ...added];
}

/**
 * The directory is named after the scripts' content: other builds use others, and an existing one
 * is complete.
 */
function writeScripts({ run }: Layout): string {
  const name = `shell-${Bun.hash([BASH, ZSH, FISH].join("\0")).toString(36)}`;
  const directory = `${run}/${name}`;
  const last = `${directory}/zsh/.zshenv`;
  const there = openIfThere(last, fileConstants.O_RDONLY);
  if (there !== null) {
    closeSync(there);
    return directory;
  }
  withPrivateUmask(() => makeDirectories(`${directory}/zsh`, 0o700));
  for (const [path, text] of [
    [`${directory}/bash`, BASH],
    [`${directory}/fish`, FISH],
    [last, ZSH],
  ] as const)
    writeWhole(path, text);
  return directory;
}

/** Several holders may write at once. */
function writeWhole(path: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = fileConstants;
  const draft = `${path}.${process.pid}`;
  const fd = withPrivateUmask(() => openSync(draft, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  try {
    writeAll(fd, bytesOf(text));
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
}
