/** src/library/methods.ts: the table's types in plain TypeScript, for users of the client library, who need no zod for them. */
import { NOTIFICATIONS } from "../../src/protocol/rows/notifications.schema.ts";
import { session } from "../../src/protocol/rows/fields.schema.ts";
import { TABLE } from "../../src/protocol/table.schema.ts";
import { type JsonSchema, notificationSchema, paramsSchema, resultSchema } from "./schemas.ts";

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

/** What each method takes and answers. Cursors are byte offsets as decimal strings, bytes are base64, times RFC 3339. */
export interface Methods {
${methods.join("\n")}
}

/** What a subscriber is told. */
export interface Notifications {
${notices.join("\n")}
}
`;
}

/** For those who may not load the schemas. */
export function namesModule(): string {
  const names = [...TABLE.keys()].map((name) => `  ${JSON.stringify(name)},\n`);
  return `// Written by \`make reference\` from the protocol table, for those who may not load its schemas: do not edit.\n\nexport const METHOD_NAMES = [\n${names.join("")}] as const;\n`;
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

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): string {
  const names = Object.keys(properties);
  if (names.length === 0)
    return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "never"}>`;
  const indent = "  ".repeat(depth + 1);
  const fields = names.map((name) => {
    const schema = properties[name] ?? {};
    const told = schema.description === undefined ? "" : `${indent}/** ${sentence(schema.description)} */\n`;
    return `${told}${indent}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`;
  });
  return `{\n${fields.join("\n")}\n${"  ".repeat(depth)}}`;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return (/[.:]$/.test(first) ? first : `${first}.`).replaceAll("*/", "* /");
}
