/**
 * Rewrites a JSON Schema for all MCP hosts. A list of types becomes branches of `anyOf`: some hosts
 * map schemas to a dialect without type lists, and drop the tool. An empty schema becomes one of
 * all types.
 */
type Schema = Record<string, unknown>;

const SCHEMA_MAPS = ["properties", "patternProperties", "$defs"];
const SCHEMA_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE_SCHEMAS = ["items", "additionalProperties", "propertyNames", "not"];
/** Annotations, which constrain nothing. */
const ANNOTATIONS = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];
const ALL_TYPES = ["object", "array", "string", "number", "boolean", "null"];

export function portableSchema(schema: Schema): Schema {
  const whole = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, portableValue(key, value)]));
  const constraints = Object.keys(whole).filter((key) => !ANNOTATIONS.includes(key));
  const types = constraints.length === 0 ? ALL_TYPES : whole["type"];
  if (!Array.isArray(types)) return whole;
  const annotations = Object.entries(whole).filter(([key]) => ANNOTATIONS.includes(key));
  const rest = Object.entries(whole).filter(([key]) => !ANNOTATIONS.includes(key) && key !== "type");
  const branchOf = (type: unknown): Schema => (type === "null" ? { type } : { type, ...Object.fromEntries(rest) });
  return { ...Object.fromEntries(annotations), anyOf: types.map(branchOf) };
}

function portableValue(key: string, value: unknown): unknown {
  if (SCHEMA_MAPS.includes(key) && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ifSchema(each)]));
  if (SCHEMA_LISTS.includes(key) && Array.isArray(value)) return value.map(ifSchema);
  return SINGLE_SCHEMAS.includes(key) ? ifSchema(value) : value;
}

function ifSchema(value: unknown): unknown {
  return isSchema(value) ? portableSchema(value) : value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
