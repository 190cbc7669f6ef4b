/** Rows of the HTTP server and its keys. */
import * as z from "zod";
import { ROLES } from "../../wire/attach.ts";
import { KEY_KINDS, MAX_KEY_SECONDS, TICKET_SECONDS } from "../../wire/web.ts";
import { integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const MAX_PORT = 65_535;
const time = z.string().describe("RFC 3339, UTC");
const seconds = integerFrom(1, MAX_KEY_SECONDS);
const role = z.enum(ROLES).describe("viewer: watches; driver: may also type");

const served = z.object({
  url: z.string().describe("URL of the page; the API is below /api/v1/"),
  address: z.string(),
  port: z.int(),
  tls: z.boolean(),
});

export const webStart = row({
  name: "web.start",
  summary: "serve HTTP, WebSocket, MCP and the page, on loopback unless configured otherwise",
  effect: "admin",
  params: z.strictObject({
    port: integerFrom(0, MAX_PORT)
      .optional()
      .describe("0: any free port. Default: the port of http.listen, else 4658, else any free port"),
  }),
  result: served.extend({ was_running: z.boolean() }),
  errors: ["EDENIED", "EBUSY", "EIO"],
  examples: [{}, { port: 0 }],
  cli: "holt web",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const webStop = row({
  name: "web.stop",
  summary: "stop serving HTTP; sessions and other connections are not affected",
  effect: "admin",
  params: z.strictObject({}),
  result: z.object({ was_running: z.boolean() }),
  errors: ["EDENIED"],
  examples: [{}],
  cli: "holt web stop",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const webTicket = row({
  name: "web.ticket",
  summary: "make a single-use link to the page: with full access, or to watch or drive one session",
  effect: "admin",
  params: z.strictObject({
    session_id: sessionId.optional().describe("Default: full access"),
    role: role.default("viewer").describe("Access to the session; with session_id"),
    expires_in_seconds: seconds.default(TICKET_SECONDS).describe("Lifetime of the unused link"),
    grants_seconds: seconds.optional().describe("Lifetime of the key that the link is exchanged for; default: a week"),
  }),
  result: z.object({
    token_id: z.string().describe("For token.revoke, also after it was used"),
    ticket: z.string(),
    url: z.string().nullable().describe("Null if HTTP is not served"),
    expires_at: time,
  }),
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{}, { session_id: "k3f9q2", role: "viewer", expires_in_seconds: 3600 }],
  cli: "holt share",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const tokenCreate = row({
  name: "token.create",
  summary: "make a token that lets a program watch or drive one session over HTTP and WebSocket",
  effect: "admin",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    role: role.default("viewer"),
    expires_in_seconds: seconds.optional().describe("Default: it expires with the session"),
  }),
  result: z.object({
    token_id: z.string(),
    token: z.string().describe("Shown only here: holt stores its hash"),
    session_id: z.string(),
    role,
    expires_at: time.nullable(),
  }),
  errors: ["ENOTFOUND", "EDENIED", "ERLIMIT", "EIO"],
  examples: [{ session_id: "k3f9q2", role: "driver" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const tokenList = row({
  name: "token.list",
  summary: "list the keys, without their secrets",
  effect: "admin",
  params: z.strictObject({ session_id: sessionId.optional() }),
  result: z.object({
    tokens: z.array(
      z.object({
        token_id: z.string(),
        kind: z.enum(KEY_KINDS),
        session_id: z.string().nullable().describe("Null: full access"),
        role: role.nullable(),
        created_at: time,
        expires_at: time.nullable(),
      }),
    ),
  }),
  errors: ["EDENIED", "EIO"],
  examples: [{}, { session_id: "k3f9q2" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const tokenRotate = row({
  name: "token.rotate",
  summary: "replace a token; the old one becomes invalid",
  effect: "admin",
  params: z.strictObject({ token_id: z.string() }),
  result: z.object({ token_id: z.string(), token: z.string() }),
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ token_id: "t8x2k4" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const tokenRevoke = row({
  name: "token.revoke",
  summary: "revoke a key and close its connections",
  effect: "admin",
  params: z.strictObject({ token_id: z.string() }),
  result: z.object({ revoked: z.boolean().describe("False: there was no such key") }),
  errors: ["EDENIED", "EIO"],
  examples: [{ token_id: "t8x2k4" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});
