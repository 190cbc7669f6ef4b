/** docs/reference/methods.md. */
import { ERROR_CODES } from "../../src/protocol/types/errors.ts";
import { httpRoute } from "../../src/protocol/methods/http-route.ts";
import { session } from "../../src/protocol/methods/rows/fields.schema.ts";
import { NOTIFICATIONS } from "../../src/protocol/methods/rows/notifications.schema.ts";
import { shellWord } from "../../src/protocol/types/shell-word.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import { type JsonSchema, notificationSchema, paramsSchema, resultSchema } from "./schemas.ts";

const ANY_CALL = ["EBADARGS", "EDENIED", "ECANCELED", "ETIMEOUT", "EINTERNAL"];

type AnyRow = typeof TABLE extends ReadonlyMap<string, infer R> ? R : never;

export function methodsPage(): string {
  const rows = [...TABLE.values()];
  const contents = rows.map(({ name, summary }) => `| [\`${name}\`](#${anchor(name)}) | ${summary} |`);
  return `# Methods

Generated from the protocol table (\`src/protocol/methods/rows\`) by \`make reference\`: do not edit. The same methods are on every surface: JSON-RPC on
\`daemon.sock\`, the client library, \`holt call METHOD '{…}'\`, and MCP (\`holt mcp --tools all\`, with \`_\` for the dot). \`schema.json\` beside this file has
them as JSON Schemas.

Cursors are byte offsets as decimal strings; bytes are base64; times are RFC 3339 in UTC; durations are whole milliseconds. Ids are exact: prefixes and
names are for the command line. Any call may end with ${ANY_CALL.map(code).join(", ")}; what else it may end with is said below.

| method | |
| --- | --- |
${contents.join("\n")}

${rows.map(section).join("\n")}
## A session

${fields("What is known of one", resultSchema({ result: session }))}
## Notifications

Told to a connection that has called \`session.subscribe\`.

${Object.entries(NOTIFICATIONS).map(notice).join("\n")}
## Errors

An error is \`{code, message, details, hint}\` on every surface; in JSON-RPC, \`code\`, \`details\` and \`hint\` are in \`error.data\`.

| code | JSON-RPC | HTTP |
| --- | --- | --- |
${Object.entries(ERROR_CODES)
  .map(([name, { jsonrpc, http }]) => `| ${code(name)} | ${jsonrpc} | ${http} |`)
  .join("\n")}
`;
}

function section(row: AnyRow): string {
  const examples = row.examples.map((example) => `holt call ${row.name} ${shellWord(JSON.stringify(example))}`);
  return `## \`${row.name}\`

${sentence(row.summary)} Effect: ${code(row.effect)}. HTTP: ${code(httpRoute(row.name))}.${row.cli === null ? "" : ` Command: ${code(row.cli)}.`}

${fields("Parameters", paramsSchema(row))}
${row.result === session ? "Result: a [session](#a-session).\n" : fields("Result", resultSchema(row))}
${row.errors.length === 0 ? "" : `Errors: ${row.errors.map(code).join(", ")}.\n`}
\`\`\`sh
${examples.join("\n")}
\`\`\`
`;
}

function notice([name, { summary, params }]: [string, (typeof NOTIFICATIONS)[keyof typeof NOTIFICATIONS]]): string {
  return `### \`${name}\`

${sentence(summary)}

${fields("Parameters", notificationSchema(params))}`;
}

function fields(title: string, { properties = {}, required = [] }: JsonSchema): string {
  const names = Object.keys(properties);
  if (names.length === 0) return `${title}: none.\n`;
  const rows = names.map((name) => {
    const schema = properties[name] ?? {};
    const fallback = schema.default === undefined ? "" : ` Default ${code(JSON.stringify(schema.default))}.`;
    const told = schema.description === undefined ? "" : sentence(schema.description);
    return `| ${code(name)}${required.includes(name) ? "" : " ?"} | ${cell(typeOf(schema))} | ${cell(`${told}${fallback}`.trim())} |`;
  });
  return `${title}:\n\n| name | type | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

/** In the words of TypeScript. */
export function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(typeOf))].join(" | ");
  if (schema.type === "array") return `${parenthesised(typeOf(schema.items ?? {}))}[]`;
  if (schema.type === "object") return objectType(schema);
  if (schema.type === "string") return schema.contentEncoding === "base64" ? "base64" : "string";
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  return schema.type ?? "any";
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const parts = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  if (parts.length === 0 && typeof additionalProperties === "object")
    return `{[name]: ${typeOf(additionalProperties)}}`;
  return parts.length === 0 ? "{}" : `{${parts.join(", ")}}`;
}

function parenthesised(type: string): string {
  return type.includes(" | ") ? `(${type})` : type;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.:]$/.test(first) ? first : `${first}.`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function code(text: string): string {
  return `\`${text}\``;
}

function anchor(name: string): string {
  return name.replace(/[^\w-]/g, "");
}
