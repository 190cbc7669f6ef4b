/** JSON Schemas of the REST resources' requests and responses. */
import * as z from "zod";
import { SESSION_STATES } from "../../protocol/types/session.ts";
import { TABLE } from "../../protocol/methods/table.schema.ts";

export type JsonSchema = Record<string, unknown>;

export interface ResourceSchema {
  body?: JsonSchema;
  data: JsonSchema;
}

const SIZE = { type: "integer", minimum: 1 };
const SIZE_OR_NONE = { type: ["integer", "null"], description: "Null when it is no longer known" };

export const TERMINAL_REQUEST: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    cmd: { type: "array", items: { type: "string" }, minItems: 1, description: "Default: the user's shell" },
    env: { type: "object", additionalProperties: { type: "string" } },
    cwd: { type: "string", description: "An absolute path; default: the home directory" },
    cols: { ...SIZE, default: 120 },
    rows: { ...SIZE, default: 30 },
    name: { type: "string" },
    idle_timeout_ms: {
      type: ["integer", "null"],
      minimum: 1,
      description: "End the session after this time without output, input, attach, detach or resize; null: never",
    },
  },
};

const terminal = {
  id: { type: "string" },
  pid: { type: ["integer", "null"] },
  cols: SIZE_OR_NONE,
  rows: SIZE_OR_NONE,
  cmd: { type: "array", items: { type: "string" } },
  state: { enum: [...SESSION_STATES] },
  exitCode: { type: ["integer", "null"] },
  createdAt: { type: "string", format: "date-time" },
};
const token = { type: "string", description: "Gives access to this terminal only; returned only once" };
const name = { type: "string" };

export const TERMINAL: JsonSchema = {
  type: "object",
  required: Object.keys(terminal),
  properties: { ...terminal, name },
};
export const TERMINAL_WITH_TOKEN: JsonSchema = {
  type: "object",
  required: [...Object.keys(terminal), "token"],
  properties: { ...terminal, name, token },
};
export const TERMINAL_LIST: JsonSchema = { type: "array", items: TERMINAL };

export const EXEC_ID = { type: ["integer", "null"], description: "Its number among the commands of that shell" };
export const EXECUTION: JsonSchema = {
  type: "object",
  required: ["exec_id", "command", "exit_code"],
  properties: {
    exec_id: EXEC_ID,
    command: { type: ["string", "null"] },
    exit_code: { type: ["integer", "null"], description: "Null while it runs" },
  },
};

/** The schema of a method whose session id is in the path. */
export function methodSchema(method: string, more: JsonSchema = {}): ResourceSchema {
  const row = TABLE.get(method);
  if (row === undefined) return { data: {} };
  const body = jsonSchemaOf(row.params, "input");
  const { session_id: _, ...properties } = body["properties"] as JsonSchema;
  const required = ((body["required"] ?? []) as string[]).filter((each) => each !== "session_id");
  const data = jsonSchemaOf(row.result, "output");
  return {
    body: { ...body, properties, required },
    data: { ...data, properties: { ...more, ...(data["properties"] as JsonSchema) } },
  };
}

export function jsonSchemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: "any" }) as JsonSchema;
  return schema;
}
