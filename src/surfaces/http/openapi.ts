/** Generates the OpenAPI 3.1 document from the protocol table and the REST resources. */
import { ERROR_CODES, type ErrorCode } from "../../protocol/types/errors.ts";
import { httpRoute } from "../../protocol/methods/http-route.ts";
import { type AnyRow, TABLE } from "../../protocol/methods/table.schema.ts";
import { API, API_VERSION } from "../../protocol/wire/web.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { OWN_STATUSES } from "./responses.ts";
import { type JsonSchema, jsonSchemaOf } from "./resource-schemas.ts";
import { RESOURCES, type Resource } from "./resources.ts";
import { WEBSOCKET_ONLY } from "./routes.ts";

/** Errors that any call may return, from HTTP itself or from any method. */
const ANY_CALL: readonly ErrorCode[] = [
  "EBADARGS",
  "EUNAUTHORIZED",
  "EDENIED",
  "ERLIMIT",
  "ECANCELED",
  "EIO",
  "EINTERNAL",
  "EBUSY",
  "ETIMEOUT",
];
const error = { $ref: "#/components/schemas/Error" };

let cached: string | null = null;

export function openApi(): string {
  cached ??= JSON.stringify(document());
  return cached;
}

function document(): object {
  const rows = [...TABLE.values()].filter(({ name }) => !WEBSOCKET_ONLY.has(name));
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) paths[httpRoute(row.name).replace("POST ", "")] = { post: methodOperation(row) };
  for (const resource of RESOURCES) {
    const path = resource.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [resource.method.toLowerCase()]: resourceOperation(resource) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "holt", version: VERSION, license: { name: "MIT", identifier: "MIT" }, description: ABOUT },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } }, schemas: { Error: ERROR } },
  };
}

const ABOUT =
  "Every method of holt's protocol table, and the resources of terminals. Live data comes over WebSocket: a terminal at /api/v1/pty/sessions/{id}/attach, output at /api/v1/sessions/{id}/stream, and the whole table as JSON-RPC 2.0 at /api/v1/rpc.";

const ERROR = {
  type: "object",
  required: ["apiVersion", "error"],
  properties: {
    apiVersion: { const: API_VERSION },
    error: {
      type: "object",
      required: ["code", "message", "details", "hint"],
      properties: {
        code: { enum: Object.keys(ERROR_CODES) },
        message: { type: "string" },
        details: { type: "object" },
        hint: { type: ["string", "null"], description: "What to do next" },
      },
    },
  },
};

function methodOperation({ name, summary, params, result, errors, examples }: AnyRow): object {
  return {
    operationId: name.replaceAll(".", "_"),
    summary,
    tags: [name.split(".")[0]],
    requestBody: requestBody(jsonSchemaOf(params, "input"), examples[0]),
    responses: { 200: successResponse(jsonSchemaOf(result, "output")), ...errorResponses([...ANY_CALL, ...errors]) },
  };
}

function resourceOperation({ method, path, summary, schema, calls }: Resource): object {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  return {
    operationId: `${method.toLowerCase()}_${path.slice(API.length + 1).replaceAll(/[/:]+/g, "_")}`,
    summary,
    tags: ["resources"],
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...(schema.body === undefined ? {} : { requestBody: requestBody(schema.body) }),
    responses: {
      [path.endsWith("/pty/sessions") && method === "POST" ? 201 : 200]: successResponse(schema.data),
      ...errorResponses([...ANY_CALL, ...calls.flatMap((name) => TABLE.get(name)?.errors ?? [])]),
    },
  };
}

function requestBody(schema: JsonSchema, example?: object): object {
  const required = ((schema["required"] ?? []) as unknown[]).length > 0;
  return { required, content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } } };
}

function successResponse(schema: object): object {
  const properties = { apiVersion: { const: API_VERSION }, data: schema };
  const envelope = { type: "object", required: ["apiVersion", "data"], properties };
  return { description: "Success", content: { "application/json": { schema: envelope } } };
}

function errorResponses(codes: readonly ErrorCode[]): Record<string, object> {
  const byStatus = Map.groupBy(new Set(codes), (code) => String(ERROR_CODES[code].http));
  const descriptions: (readonly [string, string])[] = [...byStatus].map(([status, those]) => [
    status,
    those.join(", "),
  ]);
  const bodyErrors = [
    [String(OWN_STATUSES.large), "ERLIMIT: the body is too large"],
    [String(OWN_STATUSES.type), "EBADARGS: the body is not application/json"],
  ] as const;
  return Object.fromEntries(
    [...descriptions, ...bodyErrors].map(([status, description]) => [
      status,
      { description, content: { "application/json": { schema: error } } },
    ]),
  );
}
