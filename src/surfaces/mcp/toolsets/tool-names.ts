/** Replaces the names of methods by the names of tools in texts and schemas. */
const METHOD = /\b(?:session|exec|shell|pty|fs|health|daemon)\.[a-z_]+\b/g;
const LOGS = /`holt logs ([\w.-]+)`/g;

/** `named` maps a method to its tool, or to undefined. */
export function inToolNames(named: (method: string) => string | undefined): (text: string) => string {
  return (text) =>
    text
      .replaceAll(METHOD, (method) => named(method) ?? method)
      .replaceAll(LOGS, (whole, id: string) => {
        const tool = named("session.read");
        return tool === undefined ? whole : `${tool} {"session_id": "${id}"}`;
      });
}

const CHOICE = /\bone of ((?:\w+, )*\w+ and \w+)/g;

/** Removes withheld parameters from a list of choices ("one of a, b and c"). */
export function withoutParams(text: string, withheld: ReadonlySet<string>): string {
  return text.replaceAll(CHOICE, (whole, list: string) => {
    const names = list.split(/, | and /);
    const left = names.filter((name) => !withheld.has(name));
    const last = left.pop();
    if (left.length === 0 || left.length + 1 === names.length) return whole;
    return `one of ${left.join(", ")} and ${last}`;
  });
}

/** Applies `words` to every description of a JSON schema. */
export function schemaInToolNames<T>(schema: T, words: (text: string) => string): T {
  if (Array.isArray(schema)) return schema.map((part) => schemaInToolNames(part, words)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    key === "description" && typeof value === "string" ? words(value) : schemaInToolNames(value, words),
  ]);
  return Object.fromEntries(entries) as T;
}
