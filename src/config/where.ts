/**
 * Whether there is any configuration, found so cheaply that every start can afford to ask: one look at the directory, one at the names
 * of the variables. Only where there is some, what reads it is loaded (settings.ts).
 */
import { entryStat } from "../platform/fs/stat.ts";
import { HoltError } from "../protocol/types/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The first parts of keys.ts, which is not loaded here; a test compares them. */
const VARIABLE = /^HOLT_(?:SESSIONS|PTY|TERMINAL|TIMEOUTS|LIMITS|POLICY|FS|LOG|AUDIT|HTTP|METRICS|TMUX)_/;

/** Null where nobody has a home. */
export function configDirectory(env: Environment = process.env): string | null {
  const xdg = env["XDG_CONFIG_HOME"];
  // The XDG specification: a relative path is invalid and to be ignored.
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

/** What cannot be looked at is worth a closer look: whoever reads it says why not. */
function isThere(directory: string): boolean {
  try {
    return entryStat(directory) !== null;
  } catch (error) {
    if (error instanceof HoltError) throw error; // nothing can be looked at
    return true;
  }
}
