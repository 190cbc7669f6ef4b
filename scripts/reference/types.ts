/** src/library/methods.ts: the table's types in plain TypeScript, for users of the client library, who need no zod for them. */
import { NOTIFICATIONS } from "../../src/protocol/methods/rows/notifications.schema.ts";
import { session } from "../../src/protocol/methods/rows/fields.schema.ts";
import type { ZodType } from "zod";
import { type Method, TABLE } from "../../src/protocol/methods/table.schema.ts";
import { type JsonSchema, notificationSchema, paramsSchema, resultSchema } from "./schemas.ts";

/** Sets of fields that several rows have: written once, under a name. A larger set comes before those that it holds. */
const NAMED = new Map<string, JsonSchema>([
  ["BySession", fieldsOf(paramsOf("session.get"))],
  ["ByTerminal", fieldsOf(paramsOf("pty.close"))],
  ["Size", fieldsOf(paramsOf("session.resize"), { without: ["session_id"] })],
  ["Channel", paramsOf("session.start").properties?.["channels"]?.items ?? {}],
  ["Command", fieldsOf(paramsOf("exec.run_background"), { without: ["timeout_ms", "notify_on"] })],
  ["Surroundings", fieldsOf(paramsOf("pty.open"), { only: ["cwd", "env", "env_mode"] })],
  ["CommandStatus", resultOf("exec.status")],
  ["Outcome", fieldsOf(resultOf("exec.output"), { without: ["channels", "next_cursor", "truncated", "eof"] })],
  ["Page", fieldsOf(resultOf("exec.output"), { only: ["next_cursor", "truncated"] })],
  ["OutputNotice", noticeOf("session.output")],
  ["EndNotice", noticeOf("session.exited")],
  ["SessionNotice", fieldsOf(noticeOf("session.output"), { only: ["subscription_id", "session_id"] })],
  ["TerminalNotice", fieldsOf(noticeOf("pty.output"), { only: ["subscription_id", "id"] })],
]);

export function typesModule(): string {
  const methods = [...TABLE.values()].map((row) => {
    return `  /** ${sentence(row.summary)} */\n  ${JSON.stringify(row.name)}: {\n    params: ${typeOf(paramsSchema(row), 2)};\n    result: ${typeOf(resultSchema(row), 2)};\n  };`;
  });
  const notices = Object.entries(NOTIFICATIONS).map(
    ([name, { summary, params }]) =>
      `  /** ${sentence(summary)} */\n  ${JSON.stringify(name)}: ${typeOf(notificationSchema(params), 1)};`,
  );
  return `// Written by \`make reference\` from the protocol table: do not edit.

export interface Session ${objectType(SESSION, 0)}

${[...NAMED].map(([name, schema]) => `export type ${name} = ${objectType(schema, 0, name)};\n`).join("\n")}
/** Parameters and results of each method. Cursors are byte offsets as decimal strings, bytes are base64, times RFC 3339. */
export interface Methods {
${methods.join("\n")}
}

/** Notifications of a subscription. */
export interface Notifications {
${notices.join("\n")}
}
`;
}

/** Method names for modules that must not load the schemas. */
export function namesModule(): string {
  const names = [...TABLE.keys()].map((name) => `  ${JSON.stringify(name)},\n`);
  return `// Written by \`make reference\` from the protocol table, for modules that must not load\n// its schemas. Do not edit.\n\nexport const METHOD_NAMES = [\n${names.join("")}] as const;\n`;
}

const SESSION = resultSchema({ result: session });
const SESSION_TEXT = JSON.stringify(SESSION);

function typeOf(schema: JsonSchema, depth: number): string {
  if (JSON.stringify(schema) === SESSION_TEXT) return "Session";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map((one) => typeOf(one, depth)))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, depth)).join(" | ");
  switch (schema.type) {
    case "array": {
      const item = typeOf(schema.items ?? {}, depth);
      return item.includes("|") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return objectType(schema, depth);
    case "integer":
      return "number";
    case undefined:
      return "unknown";
    default:
      return schema.type;
  }
}

/** `self` is not taken for itself. */
function objectType(schema: JsonSchema, depth: number, self = ""): string {
  const { properties = {}, additionalProperties } = schema;
  const all = Object.keys(properties);
  if (all.length === 0)
    return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "never"}>`;
  const left = new Set(all);
  const parts: string[] = [];
  for (const [name, named] of NAMED) {
    const fields = Object.keys(named.properties ?? {});
    if (name === self || !fields.every((field) => left.has(field) && isSameField(field, schema, named))) continue;
    parts.push(name);
    for (const field of fields) left.delete(field);
  }
  if (left.size > 0) parts.push(fieldList([...left], schema, depth));
  return parts.join(" & ");
}

function fieldList(names: readonly string[], { properties = {}, required = [] }: JsonSchema, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const fields = names.map((name) => {
    const schema = properties[name] ?? {};
    const told = schema.description === undefined ? "" : `${indent}/** ${sentence(schema.description)} */\n`;
    return `${told}${indent}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`;
  });
  return `{\n${fields.join("\n")}\n${"  ".repeat(depth)}}`;
}

/** In type and description: a default is not told. */
function isSameField(name: string, one: JsonSchema, other: JsonSchema): boolean {
  const told = ({ properties, required = [] }: JsonSchema): string =>
    JSON.stringify([{ ...properties?.[name], default: undefined }, required.includes(name)]);
  return told(one) === told(other);
}

function fieldsOf(
  schema: JsonSchema,
  { only, without = [] }: { only?: string[]; without?: string[] } = {},
): JsonSchema {
  const { properties = {}, required = [] } = schema;
  const isKept = (name: string): boolean => (only?.includes(name) ?? true) && !without.includes(name);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
    required: required.filter(isKept),
  };
}

function paramsOf(method: Method): JsonSchema {
  return paramsSchema(rowOf(method));
}

function resultOf(method: Method): JsonSchema {
  return resultSchema(rowOf(method));
}

function rowOf(method: Method): { params: ZodType; result: ZodType } {
  const row = TABLE.get(method);
  if (row === undefined) throw new Error(`no such method: ${method}`);
  return row;
}

function noticeOf(name: keyof typeof NOTIFICATIONS): JsonSchema {
  return notificationSchema(NOTIFICATIONS[name].params);
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return (/[.:]$/.test(first) ? first : `${first}.`).replaceAll("*/", "* /");
}
