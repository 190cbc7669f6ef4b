/** A row of the protocol table as a tool: its name, what it takes and answers, and what it may do. The daemon checks; nothing is checked twice. */
import {
  fromJsonSchema,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Effect } from "../../protocol/rows/row.schema.ts";
import { portable } from "./portable-schema.ts";
import type { Method, TABLE } from "../../protocol/table.schema.ts";

export type AnyRow = typeof TABLE extends ReadonlyMap<string, infer R> ? R : never;

type Schema = StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>>;

const TRUSTING: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** Hosts drop a server over a dot in a name. */
export function toolName(method: Method): string {
  return method.replace(".", "_");
}

/** With `extra` parameters, which are ours and not the daemon's. */
export function inputSchema(row: AnyRow, extra: z.ZodRawShape = {}): Schema {
  return advertised(Object.keys(extra).length === 0 ? row.params : row.params.extend(extra), "input");
}

export function outputSchema(row: AnyRow): Schema {
  return advertised(row.result, "output");
}

export function advertised(type: z.ZodType, io: "input" | "output"): Schema {
  const schema = portable(z.toJSONSchema(type, { io, unrepresentable: "any" }));
  return fromJsonSchema<Record<string, unknown>>(schema, TRUSTING);
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
