/** For a schema: a refusal names the value and what is expected instead. */
export function expected(what: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? `missing, expected ${what}` : `got ${shown(input)}, expected ${what}`,
  };
}

export function shown(input: unknown): string {
  const text = JSON.stringify(input) ?? String(input);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
