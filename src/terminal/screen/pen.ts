/** Tracks the current text style: the sum of all SGR sequences so far. */

/** An index into the 256-color palette, or red, green and blue. */
export type PenColor = number | readonly [red: number, green: number, blue: number];

export type Attribute = "bold" | "dim" | "italic" | "underline" | "inverse" | "hidden" | "struck";

/** Resets to the default style. */
export const RESET = "\x1b[0m";

const ON: Record<number, Attribute> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  8: "hidden",
  9: "struck",
  21: "underline",
};

const OFF: Record<number, readonly Attribute[]> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  28: ["hidden"],
  29: ["struck"],
};

const CODES: Record<Attribute, number> = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  inverse: 7,
  hidden: 8,
  struck: 9,
};

export class Pen {
  readonly attributes = new Set<Attribute>();
  foreground: PenColor | null = null;
  background: PenColor | null = null;

  /** Applies the parameters of one SGR sequence. */
  apply(parameters: readonly number[], parts = 0): void {
    // Fast path: nearly all sequences have one parameter.
    if (parameters.length === 1) {
      this.#set(parameters[0] ?? 0, null);
      return;
    }
    for (let at = 0; at < parameters.length; ) {
      let end = at + 1;
      while (end < parameters.length && (parts & (1 << end)) !== 0) end++;
      const group = parameters.slice(at, end);
      const [code = 0] = group;
      // The older form of a color uses semicolons and takes the following parameters.
      if (isColorCode(code) && group.length === 1) {
        const length = parameters[at + 1] === 2 ? 5 : 3;
        this.#color(code, parameters.slice(at + 1, at + length));
        end = at + length;
      } else if (isColorCode(code)) this.#color(code, withoutSpace(group.slice(1)));
      else this.#set(code, group[1] ?? null);
      at = end;
    }
  }

  /** The SGR sequence that sets this style from any other; empty for the default style. */
  get sequence(): string {
    if (this.attributes.size === 0 && this.foreground === null && this.background === null) return "";
    const codes = [...this.attributes].map((attribute) => CODES[attribute]).toSorted((a, b) => a - b);
    const all = [...codes, ...colorCodes(38, this.foreground), ...colorCodes(48, this.background)];
    return `\x1b[0;${all.join(";")}m`;
  }

  #set(code: number, kind: number | null): void {
    const on = ON[code];
    if (code === 0) this.#reset();
    else if (code === 4 && kind === 0) this.attributes.delete("underline");
    else if (on !== undefined) this.attributes.add(on);
    else if (code >= 30 && code <= 37) this.foreground = code - 30;
    else if (code >= 90 && code <= 97) this.foreground = code - 90 + 8;
    else if (code >= 40 && code <= 47) this.background = code - 40;
    else if (code >= 100 && code <= 107) this.background = code - 100 + 8;
    else if (code === 39) this.foreground = null;
    else if (code === 49) this.background = null;
    else for (const attribute of OFF[code] ?? []) this.attributes.delete(attribute);
  }

  #reset(): void {
    this.attributes.clear();
    this.foreground = null;
    this.background = null;
  }

  /** Underline colors (58) are ignored. */
  #color(code: number, [kind, ...values]: readonly number[]): void {
    if (values.some((value) => value > 255)) return;
    const [first, green, blue] = values;
    let color: PenColor | null = null;
    if (kind === 5 && first !== undefined) color = first;
    else if (kind === 2 && first !== undefined && green !== undefined && blue !== undefined)
      color = [first, green, blue];
    if (color === null) return;
    if (code === 38) this.foreground = color;
    else if (code === 48) this.background = color;
  }
}

function isColorCode(code: number): boolean {
  return code === 38 || code === 48 || code === 58;
}

/** `2:SPACE:r:g:b` names a color space, which no terminal uses. */
function withoutSpace(parts: readonly number[]): readonly number[] {
  const [kind = 0, ...values] = parts;
  return kind === 2 && values.length > 3 ? [kind, ...values.slice(1)] : parts;
}

function colorCodes(code: number, color: PenColor | null): number[] {
  if (color === null) return [];
  return typeof color === "number" ? [code, 5, color] : [code, 2, ...color];
}
