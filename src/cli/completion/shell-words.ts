/** What the three completion scripts share. Sessions are asked for when they are wanted: `holt completions --sessions`. */
import { COMMANDS } from "../declarations/commands.ts";
import type { Declaration, Option } from "../declarations/declaration.ts";
import { TOPICS } from "../topics/topics.ts";

export const HELP_NAMES: readonly string[] = [...COMMANDS, ...TOPICS].map(({ name }) => name);

/** In single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The values that a shell can offer for an option. */
export function valuesOf({ choices, offers }: Option): readonly string[] {
  return choices ?? offers ?? [];
}

/** The option of `holt completions` for what a command works on; null where that is no session. */
export function sessionsFor({ positionals: { completes } }: Declaration): string | null {
  if (completes === "living") return "--sessions --living";
  return completes === "session" ? "--sessions" : null;
}

export function spellings({ short, name }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
