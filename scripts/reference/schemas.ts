/** The table as JSON Schemas: what a call takes, as a client writes it, and what it answers. */
import * as z from "zod";
import { NOTIFICATIONS } from "../../src/protocol/methods/rows/notifications.schema.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
  contentEncoding?: string;
  pattern?: string;
}

export function paramsSchema(row: { params: z.ZodType }): JsonSchema {
  return schemaOf(row.params, "input");
}

export function resultSchema(row: { result: z.ZodType }): JsonSchema {
  return schemaOf(row.result, "output");
}

function schemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: "any" }) as JsonSchema & {
    $schema?: string;
  };
  return schema;
}

export function schemas(): object {
  const methods = [...TABLE.values()].map((row) => [
    row.name,
    {
      summary: row.summary,
      effect: row.effect,
      params: paramsSchema(row),
      result: resultSchema(row),
      errors: row.errors,
    },
  ]);
  const notifications = Object.entries(NOTIFICATIONS).map(([name, { summary, params }]) => [
    name,
    { summary, params: schemaOf(params, "output") },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    methods: Object.fromEntries(methods),
    notifications: Object.fromEntries(notifications),
  };
}

export function notificationSchema(params: z.ZodType): JsonSchema {
  return schemaOf(params, "output");
}
