/**
 * Formats JSON that is safe to print: JSON.stringify escapes only C0 controls, and a terminal acts
 * on others as well.
 */
const UNESCAPED_CONTROLS = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** The same, and the C0 controls other than white space. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNESCAPED_CONTROLS, escaped);
}

/** Escapes control characters as in JSON: nothing is hidden or reordered. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
