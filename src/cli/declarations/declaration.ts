/** What a command says about itself, once. Parsing, help, errors and shell completions are all read off this. */

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help, e.g. "ID"; without it the option is a flag. */
  readonly value?: string;
  /** "count": a whole number from 0, parsed as a number. */
  readonly kind?: "count";
  /** May be given several times: its values in their order. */
  readonly repeats?: boolean;
  readonly choices?: readonly string[];
  /** What a shell completes where anything may stand; what ends in "=" goes on. */
  readonly offers?: readonly string[];
  /** What a shell completes that only it, or the session that the line names, knows; beside what it is offered. */
  readonly completes?: "file" | "directory" | "client";
  /** What a "count" counts, for somebody who gave something else. */
  readonly counts?: string;
  readonly summary: string;
}

export interface Positionals {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Of the first. */
  readonly choices?: readonly string[];
  /** What a shell completes where anything may stand. */
  readonly offers?: readonly string[];
  /** What a shell completes here. */
  readonly completes?: "session" | "living" | "topic" | "command";
  /** What it completes behind the first, where that is something else: a signal, and nothing where it is a name. */
  readonly second?: readonly string[];
  /** What somebody meant, most likely, who gives more than there may be. */
  readonly beyond?: (extra: readonly string[]) => string;
  /** The first positional ends the options: the rest belongs to another program. */
  readonly endsOptions?: boolean;
}

export interface Declaration {
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  readonly examples: readonly (readonly [line: string, says: string])[];
  readonly options: readonly Option[];
  readonly positionals: Positionals;
  /** Paragraphs for the help page, after the options. */
  readonly about?: string;
}

export const NO_POSITIONALS: Positionals = { name: "", least: 0, most: 0 };

const HELP: Option = { name: "help", short: "h", summary: "show this page" };

export function optionsOf(declaration: Declaration): readonly Option[] {
  return [...declaration.options, HELP];
}
