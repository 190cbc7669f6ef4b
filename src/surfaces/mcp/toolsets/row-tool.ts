/** A row of the protocol table as a tool: its name, what it takes and answers, and what it may do. The daemon checks; nothing is checked twice. */
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

/** Hosts drop a server over a dot in a name. */
export function toolName(method: Method): string {
  return method.replace(".", "_");
}

export interface ParamChanges {
  added: z.ZodRawShape;
  /** Nothing for tools. */
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
  /** The names of the toolset, where these are others. */
  words?: (text: string) => string;
  /** Where the toolset's are not the row's. */
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

/** A command may do anything, also to the world outside. */
export function annotationsOf({ effect }: { effect: Effect }) {
  return { ...EFFECTS[effect], openWorldHint: effect === "exec" };
}
