/**
 * Makes an MCP tool from a row of the protocol table: name, schemas and annotations. The daemon
 * validates parameters, so nothing is validated twice.
 */
import {
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Effect } from "../../../protocol/methods/rows/row.schema.ts";
import { portableSchema } from "./portable-schema.ts";
import type { Method, TABLE } from "../../../protocol/methods/table.schema.ts";
import { PATH_DESCRIPTIONS, describeHostLimit } from "../host-params.ts";
import { schemaInToolNames } from "./tool-names.ts";

export type AnyRow = typeof TABLE extends ReadonlyMap<string, infer R> ? R : never;

type Schema = StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>>;

const NO_VALIDATION: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** Some hosts reject a server with a dot in a tool's name. */
export function toolName(method: Method): string {
  return method.replace(".", "_");
}

export interface ParamChanges {
  added: z.ZodRawShape;
  /** The parameter that tools do not have. */
  withheld: string;
}

export function inputSchema(row: AnyRow, { added, withheld }: ParamChanges): Schema {
  const shape = Object.entries({ ...row.params.shape, ...added }).filter(([name]) => name !== withheld);
  return toolSchema(z.strictObject(Object.fromEntries(shape)), "input");
}

export function outputSchema(row: AnyRow): Schema {
  return toolSchema(row.result, "output");
}

export interface ToolSchemaOptions {
  /** Replaces names of methods by names of tools. */
  words?: (text: string) => string;
  /** Defaults of the toolset that differ from the row's. */
  defaults?: Readonly<Record<string, unknown>>;
}

export function toolSchema(
  type: z.ZodType,
  io: "input" | "output",
  { words = (text) => text, defaults = {} }: ToolSchemaOptions = {},
): Schema {
  const written = schemaInToolNames(portableSchema(z.toJSONSchema(type, { io, unrepresentable: "any" })), words);
  const all: Record<string, { description?: string }> = { ...(written["properties"] as object | undefined) };
  const properties = Object.entries(all).map(([name, property]) => [
    name,
    {
      ...property,
      ...(io === "input" && property.description !== undefined
        ? { description: describeHostLimit(property.description) }
        : {}),
      ...(name in defaults ? { default: defaults[name] } : {}),
      ...(io === "input" && name in PATH_DESCRIPTIONS ? { description: PATH_DESCRIPTIONS[name] } : {}),
    },
  ]);
  const schema = { ...written, properties: Object.fromEntries(properties) } as JsonSchemaType;
  return fromJsonSchema<Record<string, unknown>>(schema, NO_VALIDATION);
}

const EFFECTS: Record<Effect, { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  exec: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  admin: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

/** A command may do anything, including network access. */
export function annotationsOf({ effect }: { effect: Effect }) {
  return { ...EFFECTS[effect], openWorldHint: effect === "exec" };
}
