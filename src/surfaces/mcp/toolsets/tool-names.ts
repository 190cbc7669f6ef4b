/** What is said in the names of methods, in those of tools. */
const METHOD = /\b(?:session|exec|shell|pty|fs|health|daemon)\.[a-z_]+\b/g;
const LOGS = /`holt logs ([\w.-]+)`/g;

/** `named` has the tool that does what a method does, where there is one. */
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

/** Of parameters to choose from, those that the tool has: its method may have more. */
export function withoutParams(text: string, withheld: ReadonlySet<string>): string {
  return text.replaceAll(CHOICE, (whole, list: string) => {
    const names = list.split(/, | and /);
    const left = names.filter((name) => !withheld.has(name));
    const last = left.pop();
    if (left.length === 0 || left.length + 1 === names.length) return whole;
    return `one of ${left.join(", ")} and ${last}`;
  });
}

/** The same in every description of a JSON schema. */
export function schemaInToolNames<T>(schema: T, words: (text: string) => string): T {
  if (Array.isArray(schema)) return schema.map((part) => schemaInToolNames(part, words)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    key === "description" && typeof value === "string" ? words(value) : schemaInToolNames(value, words),
  ]);
  return Object.fromEntries(entries) as T;
}
