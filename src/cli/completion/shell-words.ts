/** What the three completion scripts share. Sessions are asked for when they are wanted: `holt completions --sessions`. */
import { COMMANDS } from "../commands.ts";
import type { Option } from "../declaration.ts";
import { TOPICS } from "../topics.ts";

export const HELP_NAMES: readonly string[] = [...COMMANDS, ...TOPICS].map(({ name }) => name);

/** In single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function spellings({ short, name }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
