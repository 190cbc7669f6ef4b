/** JSON that is safe to print: JSON escapes C0 controls alone, and a terminal acts on others as well. */
const ACTING = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** Those, and the C0 controls that are no white space. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(ACTING, escaped);
}

/** Text with its control characters escaped as in JSON: nothing in it is hidden, or shown in another order. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
