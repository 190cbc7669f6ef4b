/** Refusal texts of a schema: the value given, and the value expected. */
export function expected(what: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? `missing, expected ${what}` : `got ${quoteValue(input)}, expected ${what}`,
  };
}

const MAX_QUOTED_CHARS = 80;

export function quoteValue(input: unknown): string {
  const text = jsonText(typeof input === "string" ? input.slice(0, MAX_QUOTED_CHARS + 1) : input);
  return text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
}

function jsonText(input: unknown): string {
  try {
    return JSON.stringify(input) ?? String(input);
  } catch {
    return Array.isArray(input) ? "[[…" : "{…"; // nested too deep for JSON.stringify
  }
}
