/**
 * Builds a command's environment from its caller's request (SPEC 10).
 *
 * `clean` and `inherit` are exactly what the caller sent. `project` adds the variables that every
 * command needs of the system (platform/process/system-variables.ts), as the daemon was started
 * with them.
 */
import { DEFAULT_PATH } from "../../platform/process/find-executable.ts";
import { inheritedEnvironment, inheritedVariable } from "../../platform/process/raw-arguments.ts";
import { isSystemVariable } from "../../platform/process/system-variables.ts";
import { bytesOf, joined, startsWith, textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { DEFAULT_TERMINAL } from "../../protocol/wire/start-request.ts";

export interface EnvironmentRequest {
  /** Null: not set. */
  env: Readonly<Record<string, string | null>>;
  env_mode: "clean" | "project" | "inherit";
  hasTerminal: boolean;
}

/** Tells programs that no user answers, reads colours or turns pages. */
const HINTS = { CI: "true", TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" } as const;
const EQUALS = 0x3d;
const PATH = bytesOf("PATH=");
const TERM = bytesOf("TERM=");

/** All entries that the daemon may add to a caller's environment. */
export const DEFAULT_ENTRIES: readonly Uint8Array[] = [...Object.entries(HINTS), ["TERM", DEFAULT_TERMINAL]].map(
  ([key, value]) => bytesOf(`${key}=${value}`),
);

/** KEY=VALUE entries, base64. */
export function environmentFrom(request: EnvironmentRequest): readonly string[] {
  const { env, env_mode, hasTerminal } = request;
  if (Object.keys(env).length > 0) return build(request);
  // Most callers set nothing: the result is cached.
  return (cached[`${env_mode} ${hasTerminal}`] ??= build(request));
}

const cached: Partial<Record<`${EnvironmentRequest["env_mode"]} ${boolean}`, readonly string[]>> = {};

function build({ env, env_mode, hasTerminal }: EnvironmentRequest): string[] {
  const entries: string[] = [];
  if (env_mode === "project")
    for (const [key, entry] of systemVariables()) if (!Object.hasOwn(env, key)) entries.push(entry);
  for (const [key, value] of Object.entries(env)) if (value !== null) entries.push(encoded(key, value));
  const defaults = hasTerminal ? { TERM: DEFAULT_TERMINAL } : env_mode === "project" ? HINTS : {};
  for (const [key, value] of Object.entries(defaults)) if (!Object.hasOwn(env, key)) entries.push(encoded(key, value));
  return entries;
}

/**
 * Adds the daemon's PATH if there is none. Without PATH a shell also searches the current
 * directory, where the caller could place files that pass for allowed commands.
 */
export function withPath(entries: readonly string[]): readonly string[] {
  if (entries.some((entry) => startsWith(Uint8Array.fromBase64(entry), PATH))) return entries;
  return [...entries, ownPath().toBase64()];
}

/** Adds TERM for a command on a terminal. */
export function withTerm(entries: readonly string[]): readonly string[] {
  // Eight base64 digits are six bytes: enough for `TERM=`.
  if (entries.some((entry) => startsWith(Uint8Array.fromBase64(entry.slice(0, 8)), TERM))) return entries;
  return [...entries, encoded("TERM", DEFAULT_TERMINAL)];
}

/** The daemon's own PATH entry. */
export function ownPath(): Uint8Array {
  return joined([PATH, inheritedVariable("PATH") ?? DEFAULT_PATH]);
}

/**
 * The shell for a command line: the caller's SHELL, else the configured one, else the user's own.
 */
export function shellFrom(
  { env, env_mode }: Omit<EnvironmentRequest, "hasTerminal">,
  configured: string | null,
): string {
  const own = env_mode === "project" && env["SHELL"] !== null ? systemShell() : null;
  const named = env["SHELL"] ?? configured ?? own;
  return named === null || !named.startsWith("/") || NOT_A_SHELL.test(named) ? "/bin/sh" : named;
}

/** Shells of users without a login. */
const NOT_A_SHELL = /\/(?:nologin|false|true|sync)$/;

function encoded(key: string, value: string): string {
  if (key === "" || /[=\0]/.test(key) || value.includes("\0"))
    throw new HoltError("EBADARGS", `invalid environment variable: ${JSON.stringify(key)}`, {
      hint: "a name must not contain =, and neither name nor value a NUL",
    });
  return bytesOf(`${key}=${value}`).toBase64();
}

let systemEntries: ReadonlyMap<string, string> | null = null;
let shell: string | null = null;

/** System variables by name; values stay bytes, as a directory need not be UTF-8. */
function systemVariables(): ReadonlyMap<string, string> {
  systemEntries ??= new Map(
    inheritedEnvironment().flatMap((entry) => {
      const key = textOf(entry.subarray(0, entry.indexOf(EQUALS, 1)));
      return isSystemVariable(key) ? [[key, entry.toBase64()] as const] : [];
    }),
  );
  return systemEntries;
}

function systemShell(): string | null {
  const entry = systemVariables().get("SHELL");
  shell ??= entry === undefined ? null : textOf(Uint8Array.fromBase64(entry)).slice("SHELL=".length);
  return shell;
}
