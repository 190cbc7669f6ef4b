/**
 * Declaration of a command: its parser, help page, usage errors and shell completions derive from
 * it.
 */

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in help, e.g. "ID"; without one, the option is a flag. */
  readonly value?: string;
  /** "count": a whole number of at least 0, parsed as a number. */
  readonly kind?: "count";
  /** May be repeated; its values keep their order. */
  readonly repeats?: boolean;
  readonly choices?: readonly string[];
  /**
   * Words that a shell offers though other values are valid; no space follows one that ends in "=".
   */
  readonly offers?: readonly string[];
  /** Values that the shell looks up itself, in addition to `offers`. */
  readonly completes?: "file" | "directory" | "client";
  /** The unit of a "count", for the error about another value. */
  readonly counts?: string;
  readonly summary: string;
}

export interface Positionals {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Valid values of the first positional. */
  readonly choices?: readonly string[];
  /** Words that a shell offers though other values are valid. */
  readonly offers?: readonly string[];
  /** Values that the shell looks up: "living" are the sessions that have not ended. */
  readonly completes?: "session" | "living" | "topic" | "command";
  /**
   * Words that a shell offers for the second positional, if it differs from the first; empty offers
   * nothing.
   */
  readonly second?: readonly string[];
  /** Hint for surplus arguments. */
  readonly hintForExtra?: (extra: readonly string[]) => string;
  /**
   * The first positional ends the options: the remaining arguments belong to the wrapped command.
   */
  readonly endsOptions?: boolean;
}

export interface Declaration {
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  readonly examples: readonly (readonly [line: string, says: string])[];
  readonly options: readonly Option[];
  readonly positionals: Positionals;
  /** Text of the help page after the options, formatted as output/page.ts describes. */
  readonly about?: string;
}

export const NO_POSITIONALS: Positionals = { name: "", least: 0, most: 0 };

const HELP: Option = { name: "help", short: "h", summary: "show this page" };

export function optionsOf(declaration: Declaration): readonly Option[] {
  return [...declaration.options, HELP];
}
