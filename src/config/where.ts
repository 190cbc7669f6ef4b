/**
 * Detects whether there is any configuration, by one stat of the directory and the names of the
 * variables. Runs at every start; the modules that read the configuration are loaded only if there
 * is some (settings.ts).
 */
import { entryStat } from "../platform/fs/stat.ts";
import { HoltError } from "../protocol/types/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The tables of keys.ts, which is not loaded here; a test compares them. */
const VARIABLE = /^HOLT_(?:SESSIONS|PTY|TERMINAL|TIMEOUTS|LIMITS|POLICY|FS|LOG|AUDIT|HTTP|METRICS|TMUX)_/;

/** Null without a home directory. */
export function configDirectory(env: Environment = process.env): string | null {
  const xdg = env["XDG_CONFIG_HOME"];
  // The XDG specification says to ignore a relative path.
  if (xdg?.startsWith("/")) return `${xdg}/holt`;
  const home = env["HOME"];
  return home?.startsWith("/") ? `${home}/.config/holt` : null;
}

export function isConfigured(env: Environment = process.env): boolean {
  const directory = configDirectory(env);
  if (directory !== null && isThere(directory)) return true;
  for (const name in env) if (isVariable(name)) return true;
  return false;
}

export function isVariable(name: string): boolean {
  return VARIABLE.test(name);
}

/** True if the directory cannot be examined: reading the configuration then reports why. */
function isThere(directory: string): boolean {
  try {
    return entryStat(directory) !== null;
  } catch (error) {
    if (error instanceof HoltError) throw error; // native calls are unavailable
    return true;
  }
}
