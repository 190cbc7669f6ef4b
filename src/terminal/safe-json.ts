/** JSON that is safe to print: JSON escapes C0 controls alone, and a terminal acts on others as well. */
const ACTING = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    ACTING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
