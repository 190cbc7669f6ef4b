/**
 * The types of values that keys may have: checks a value and describes what is expected instead.
 */

interface Description {
  readonly summary: string;
  /** The later feature that will use the key; absent if it is in use. */
  readonly later?: string;
}

export interface IntegerKind extends Description {
  readonly type: "integer";
  readonly least: number;
  readonly most: number;
  /** Null: no limit. */
  readonly default: number | null;
}

export interface TextKind extends Description {
  readonly type: "text";
  readonly form: "absolute_path" | "address";
  readonly default: string | null;
}

export interface ChoiceKind<C extends string = string> extends Description {
  readonly type: "choice";
  readonly choices: readonly C[];
  /** Null: it follows from other keys, as the summary says. */
  readonly default: C | null;
}

export interface SwitchKind extends Description {
  readonly type: "switch";
  readonly default: boolean;
}

export interface ListKind extends Description {
  readonly type: "list";
  readonly of: "commands" | "directories" | "variables" | "hosts";
  /** Null: it follows from other keys, as the summary says. */
  readonly default: readonly string[] | null;
}

export type Kind = IntegerKind | TextKind | ChoiceKind | SwitchKind | ListKind;
export type Value = number | string | boolean | readonly string[] | null;

export type ValueOf<K extends Kind> = K extends { type: "integer" }
  ? K["default"] extends number
    ? number
    : number | null
  : K extends { type: "text" }
    ? string | null
    : K extends { type: "choice"; choices: readonly (infer C)[] }
      ? K["default"] extends null
        ? C | null
        : C
      : K extends { type: "switch" }
        ? boolean
        : K["default"] extends null
          ? readonly string[] | null
          : readonly string[];

export function problemWith(kind: Kind, value: unknown): string | null {
  return isOfKind(kind, value) ? null : `expected ${expectation(kind)}, not ${shown(value)}`;
}

export function expectation(kind: Kind): string {
  switch (kind.type) {
    case "integer":
      return kind.most === Number.MAX_SAFE_INTEGER
        ? `a whole number of at least ${kind.least}`
        : `a whole number from ${kind.least} to ${kind.most}`;
    case "text":
      return kind.form === "absolute_path" ? "an absolute path" : "HOST:PORT";
    case "choice":
      return `one of ${kind.choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
    case "switch":
      return "true or false";
    case "list":
      return `a list of ${ITEMS[kind.of].says}`;
  }
}

/**
 * Converts the text of an environment variable. Invalid text is returned unchanged, for problemWith
 * to refuse.
 */
export function fromText(kind: Kind, text: string): unknown {
  switch (kind.type) {
    case "integer":
      return /^\d+$/.test(text) ? Number(text) : text;
    case "switch":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
    case "list":
      return text === "" ? [] : text.split(ITEMS[kind.of].between).map((item) => item.trim());
    default:
      return text;
  }
}

const ITEMS = {
  commands: {
    between: ",",
    says: "command names or absolute paths",
    allows: (item: string) => item.startsWith("/") || (item !== "" && !item.includes("/")),
  },
  // Separated by colons as in PATH, or by commas as any list.
  directories: { between: /,|:(?=\/)/, says: "absolute paths", allows: (item: string) => item.startsWith("/") },
  variables: {
    between: ",",
    says: "variable names; a * at the end matches any suffix",
    allows: (item: string) => /^[^=*\0]*\*?$/.test(item) && item !== "",
  },
  hosts: {
    between: ",",
    says: "host names, with a port if it is not the default one",
    allows: (item: string) => /^(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?$/.test(item),
  },
} as const;

function isOfKind(kind: Kind, value: unknown): boolean {
  switch (kind.type) {
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= kind.least && Number(value) <= kind.most;
    case "text":
      return typeof value === "string" && FORMS[kind.form].test(value);
    case "choice":
      return typeof value === "string" && kind.choices.includes(value);
    case "switch":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && value.every((item) => typeof item === "string" && ITEMS[kind.of].allows(item));
  }
}

const FORMS = {
  absolute_path: /^\/[^\0]*$/,
  address: /^(?:\[[0-9a-fA-F:]+\]|[^\s:[\]]+):(?:\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/,
};

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
