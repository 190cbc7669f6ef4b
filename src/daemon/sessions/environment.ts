/**
 * The environment of a command, from what its caller asked for (SPEC 10).
 *
 * `clean` and `inherit` are what the caller sent and nothing else. `project` is that over what every command needs of the system
 * (platform/process/system-variables.ts), as the daemon was started with it.
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

/** Hints that there is no person to answer, look at colours or turn pages. */
const HINTS = { CI: "true", TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" } as const;
const EQUALS = 0x3d;
const PATH = bytesOf("PATH=");
const TERM = bytesOf("TERM=");

/** All that we may add to what a caller sends: entries. */
export const ADDED: readonly Uint8Array[] = [...Object.entries(HINTS), ["TERM", DEFAULT_TERMINAL]].map(([key, value]) =>
  bytesOf(`${key}=${value}`),
);

/** KEY=VALUE entries, base64. */
export function environmentFrom(asked: EnvironmentRequest): readonly string[] {
  const { env, env_mode, hasTerminal } = asked;
  if (Object.keys(env).length > 0) return made(asked);
  // Most callers set nothing: that is always the same.
  return (usually[`${env_mode} ${hasTerminal}`] ??= made(asked));
}

const usually: Partial<Record<`${EnvironmentRequest["env_mode"]} ${boolean}`, readonly string[]>> = {};

function made({ env, env_mode, hasTerminal }: EnvironmentRequest): string[] {
  const entries: string[] = [];
  if (env_mode === "project") for (const [key, entry] of system()) if (!Object.hasOwn(env, key)) entries.push(entry);
  for (const [key, value] of Object.entries(env)) if (value !== null) entries.push(encoded(key, value));
  const defaults = hasTerminal ? { TERM: DEFAULT_TERMINAL } : env_mode === "project" ? HINTS : {};
  for (const [key, value] of Object.entries(defaults)) if (!Object.hasOwn(env, key)) entries.push(encoded(key, value));
  return entries;
}

/**
 * Entries with a PATH, the daemon's own where there was none. Without one a shell looks in the directory that it is in, too: where a list says what may be
 * started, that would be whatever the caller has put there.
 */
export function withPath(entries: readonly string[]): readonly string[] {
  if (entries.some((entry) => startsWith(Uint8Array.fromBase64(entry), PATH))) return entries;
  return [...entries, ownPath().toBase64()];
}

/** Entries with a TERM for a command on a terminal. */
export function withTerm(entries: readonly string[]): readonly string[] {
  // Eight digits are six bytes: as many as it takes to know the name.
  if (entries.some((entry) => startsWith(Uint8Array.fromBase64(entry.slice(0, 8)), TERM))) return entries;
  return [...entries, encoded("TERM", DEFAULT_TERMINAL)];
}

/** The entry. */
export function ownPath(): Uint8Array {
  return joined([PATH, inheritedVariable("PATH") ?? DEFAULT_PATH]);
}

/** What a line of shell is given to: what the caller's variable names, else what is configured, else the user's own. */
export function shellFrom(
  { env, env_mode }: Omit<EnvironmentRequest, "hasTerminal">,
  configured: string | null,
): string {
  const own = env_mode === "project" && env["SHELL"] !== null ? systemShell() : null;
  const named = env["SHELL"] ?? configured ?? own;
  return named === null || !named.startsWith("/") || NOT_A_SHELL.test(named) ? "/bin/sh" : named;
}

/** What a user has who is not to log in. */
const NOT_A_SHELL = /\/(?:nologin|false|true|sync)$/;

function encoded(key: string, value: string): string {
  if (key === "" || /[=\0]/.test(key) || value.includes("\0"))
    throw new HoltError("EBADARGS", `${JSON.stringify(key)} cannot be a variable with that value`, {
      hint: "a name has no =, and neither has a NUL",
    });
  return bytesOf(`${key}=${value}`).toBase64();
}

let needed: ReadonlyMap<string, string> | null = null;
let shell: string | null = null;

/** By name, as bytes: a directory need not be UTF-8. */
function system(): ReadonlyMap<string, string> {
  needed ??= new Map(
    inheritedEnvironment().flatMap((entry) => {
      const key = textOf(entry.subarray(0, entry.indexOf(EQUALS, 1)));
      return isSystemVariable(key) ? [[key, entry.toBase64()] as const] : [];
    }),
  );
  return needed;
}

function systemShell(): string | null {
  const entry = system().get("SHELL");
  shell ??= entry === undefined ? null : textOf(Uint8Array.fromBase64(entry)).slice("SHELL=".length);
  return shell;
}
