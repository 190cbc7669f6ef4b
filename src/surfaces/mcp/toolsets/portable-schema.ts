/**
 * A JSON Schema in the words that every host understands. `type` is one word: several are branches of `anyOf`, as some hosts map a tool's schema onto a dialect that
 * knows no lists there, and drop the tool. What may be anything says so, since an empty schema looks forgotten.
 */
type Schema = Record<string, unknown>;

const OF_NAMES = ["properties", "patternProperties", "$defs"];
const OF_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const OF_ONE = ["items", "additionalProperties", "propertyNames", "not"];
/** What is said of a schema, and demands nothing. */
const WORDS = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];
const ANYTHING = ["object", "array", "string", "number", "boolean", "null"];

export function portable(schema: Schema): Schema {
  const whole = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inside(key, value)]));
  const demands = Object.keys(whole).filter((key) => !WORDS.includes(key));
  const types = demands.length === 0 ? ANYTHING : whole["type"];
  if (!Array.isArray(types)) return whole;
  const words = Object.entries(whole).filter(([key]) => WORDS.includes(key));
  const rest = Object.entries(whole).filter(([key]) => !WORDS.includes(key) && key !== "type");
  const branch = (type: unknown): Schema => (type === "null" ? { type } : { type, ...Object.fromEntries(rest) });
  return { ...Object.fromEntries(words), anyOf: types.map(branch) };
}

function inside(key: string, value: unknown): unknown {
  if (OF_NAMES.includes(key) && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ifSchema(each)]));
  if (OF_LISTS.includes(key) && Array.isArray(value)) return value.map(ifSchema);
  return OF_ONE.includes(key) ? ifSchema(value) : value;
}

function ifSchema(value: unknown): unknown {
  return isSchema(value) ? portable(value) : value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
