/** For a schema: a refusal names the value and what is expected instead. */
export function expected(what: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? `missing, expected ${what}` : `got ${quoteValue(input)}, expected ${what}`,
  };
}

const LONGEST = 80;

export function quoteValue(input: unknown): string {
  const text = written(typeof input === "string" ? input.slice(0, LONGEST + 1) : input);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function written(input: unknown): string {
  try {
    return JSON.stringify(input) ?? String(input);
  } catch {
    return Array.isArray(input) ? "[[…" : "{…"; // deeper than can be written
  }
}
