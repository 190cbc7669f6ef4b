/**
 * Helpers of the three completion scripts. The scripts list sessions at run time with
 * `holt completions --sessions`.
 */
import { COMMANDS } from "../declarations/commands.ts";
import type { Declaration, Option } from "../declarations/declaration.ts";
import { TOPICS } from "../topics/topics.ts";

export const HELP_NAMES: readonly string[] = [...COMMANDS, ...TOPICS].map(({ name }) => name);

/** Single-quotes text for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Values that a shell offers for an option. */
export function valuesOf({ choices, offers }: Option): readonly string[] {
  return choices ?? offers ?? [];
}

/**
 * Options of `holt completions` that list the sessions a command accepts; null if it takes no
 * session.
 */
export function sessionsFor({ positionals: { completes } }: Declaration): string | null {
  if (completes === "living") return "--sessions --living";
  return completes === "session" ? "--sessions" : null;
}

export function spellings({ short, name }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
