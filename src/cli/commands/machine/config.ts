/** `holt config`. */
import { findConfigFile, defaultPath } from "../../../config/config-file.ts";
import { checkVariables } from "../../../config/check.ts";
import { checkOwnVariables, settingsForCommands } from "../../../config/for-commands.ts";
import { KEY_NAMES, type KeyName, KEYS } from "../../../config/keys.ts";
import type { Value } from "../../../config/kinds.ts";
import type { Problem } from "../../../config/parse.ts";
import { checkFile, loadSettings, problemLine } from "../../../config/settings.ts";
import { absolutePath } from "../../../platform/fs/absolute-path.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { CONFIG } from "../../declarations/machine/config.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";

export const main = command(CONFIG, ({ options, positionals: [action, file] }) => {
  if (file !== undefined && action !== "check") throw usageError(`${action} takes no file`);
  if (options.origin && action !== "show") throw usageError("--origin requires show");
  if (action === "show") return show(options);
  return action === "path" ? showPath(options.json) : check(file ?? null, options.json);
});

function usageError(message: string): HoltError {
  return new HoltError("EBADARGS", message, { hint: "see `holt help config`" });
}

/** Without --json, prints valid TOML. */
function show({ origin, json }: { origin: boolean; json: boolean }): number {
  const { settings, origins, file } = settingsForCommands();
  if (json) {
    const shown = origin ? { file, settings, origins: Object.fromEntries(origins) } : { file, settings };
    writeJson(shown, stdoutStyle());
    return 0;
  }
  const lines = KEY_NAMES.map((key) => {
    const line = assignment(key, settings[key]);
    return origin ? `${line.padEnd(48)}  # ${oneLine(origins.get(key) ?? "")}\n` : `${line}\n`;
  });
  writeOut(lines.join(""));
  return 0;
}

function assignment(key: KeyName, value: Value): string {
  if (value === null) return `# ${key} is not set`;
  if (Array.isArray(value)) return `${key} = [${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  return `${key} = ${JSON.stringify(value)}`;
}

function showPath(json: boolean): number {
  const found = findConfigFile(process.env);
  const path = found ?? defaultPath(process.env);
  if (path === null)
    throw new HoltError("EBADARGS", "no home directory: HOME is not set", { hint: "set HOME or XDG_CONFIG_HOME" });
  if (json) writeJson({ path, exists: found !== null }, stdoutStyle());
  else writeOut(`${path}\n`);
  return 0;
}

/** Warnings for allowed commands that can run any other command. */
function launcherWarnings(): string[] {
  const { settings, origins } = loadSettings();
  const where = origins.get("policy.allow") ?? "";
  return settings["policy.allow"]
    .filter(isLauncher)
    .map((name) => `${where}: warning: policy.allow names ${name}, which can run any command (docs/security.md)`);
}

/**
 * Warnings for keys that only a later version uses; they are valid, so that its file works here.
 */
function unusedKeyWarnings(): string[] {
  const { settings, origins } = loadSettings();
  const later = KEY_NAMES.filter((key) => "later" in KEYS[key] && settings[key] !== KEYS[key].default);
  return later.map((key) => `${origins.get(key) ?? ""}: warning: ${key} has no effect in this version`);
}

function check(given: string | null, json: boolean): number {
  const path = given === null ? findConfigFile(process.env) : absolutePath(given);
  const problems: { where: string; problem: Problem }[] = [];
  const note = (where: string, found: readonly Problem[]): void => {
    for (const problem of found) problems.push({ where, problem });
  };
  if (path !== null) note(given ?? path, checkFile(path).checked.problems);
  if (given === null) {
    note("the environment", checkVariables(process.env).problems);
    note("the environment", checkOwnVariables(process.env));
  }
  const warnings = problems.length > 0 || given !== null ? [] : [...unusedKeyWarnings(), ...launcherWarnings()];
  for (const warning of json ? [] : warnings) writeErr(`${oneLine(warning)}\n`);
  if (json)
    writeJson(
      { path, warnings, problems: problems.map(({ where, problem }) => ({ where, ...problem })) },
      stdoutStyle(),
    );
  else if (problems.length === 0) writeOut(path === null ? "no configuration file\n" : `${oneLine(path)} is valid\n`);
  else
    for (const { where, problem } of problems) {
      const hint = problem.hint === null ? "" : ` (${problem.hint})`;
      writeErr(`${oneLine(problemLine(where, problem))}${oneLine(hint)}\n`);
    }
  return problems.length === 0 ? 0 : EXIT_FAILURE;
}

/**
 * Common commands that can run any other command: allowing one allows everything. The list cannot
 * be complete.
 */
const LAUNCHERS = new Set(
  `sh bash dash zsh fish ksh csh tcsh ash busybox toybox env xargs find fd parallel nice ionice nohup setsid timeout time watch stdbuf script
chroot unshare nsenter sudo su doas runuser setpriv taskset chrt flock strace ltrace gdb ld.so tar zip git make cmake ninja npm npx yarn pnpm bun
node deno python python3 perl ruby php lua awk gawk mawk sed ed vi vim nvim emacs nano less more man ssh scp rsync socat nc docker podman systemd-run
tmux screen expect holt m4 tclsh sqlite3 psql mysql gcc cc cargo go rustc java`.split(/\s+/),
);

function isLauncher(name: string): boolean {
  return LAUNCHERS.has(name.slice(name.lastIndexOf("/") + 1));
}
