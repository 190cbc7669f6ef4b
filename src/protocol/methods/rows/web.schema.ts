/** HTTP: whether it is served, and who may use it. */
import * as z from "zod";
import { ROLES } from "../../wire/attach.ts";
import { KEY_KINDS, MAX_KEY_SECONDS, TICKET_SECONDS } from "../../wire/web.ts";
import { integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const MAX_PORT = 65_535;
const time = z.string().describe("RFC 3339, UTC");
const seconds = integerFrom(1, MAX_KEY_SECONDS);
const role = z.enum(ROLES).describe("viewer: watches; driver: types too");

const served = z.object({
  url: z.string().describe("Of the page; what is below /api/v1/ is beside it"),
  address: z.string(),
  port: z.int(),
  tls: z.boolean(),
});

export const webStart = row({
  name: "web.start",
  summary: "serve HTTP, WebSocket, MCP and the page, on loopback unless the configuration says otherwise",
  effect: "admin",
  params: z.strictObject({
    port: integerFrom(0, MAX_PORT)
      .optional()
      .describe("0: any that is free. Without it that of http.listen, or 4658, or any that is free"),
  }),
  result: served.extend({ was_running: z.boolean() }),
  errors: ["EDENIED", "EBUSY", "EIO"],
  examples: [{}, { port: 0 }],
  cli: "holt web",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const webStop = row({
  name: "web.stop",
  summary: "stop serving HTTP; sessions and other connections do not notice",
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
  summary: "make a link that opens the page once: all of it, or one session to watch or drive",
  effect: "admin",
  params: z.strictObject({
    session_id: sessionId.optional().describe("Without it, everything"),
    role: role.default("viewer").describe("With session_id"),
    expires_in_seconds: seconds.default(TICKET_SECONDS).describe("Until it is used"),
    grants_seconds: seconds.optional().describe("What it is exchanged for ends then; without it, after a week"),
  }),
  result: z.object({
    token_id: z.string().describe("token.revoke takes it back, also after it was used"),
    ticket: z.string(),
    url: z.string().nullable().describe("Null where HTTP is not served"),
    expires_at: time,
  }),
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{}, { session_id: "k3f9q2", role: "viewer", expires_in_seconds: 3600 }],
  cli: "holt share",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const tokenCreate = row({
  name: "token.create",
  summary: "make a token with which a program may watch or drive one session over HTTP and WebSocket",
  effect: "admin",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    role: role.default("viewer"),
    expires_in_seconds: seconds.optional().describe("Without it, with the session"),
  }),
  result: z.object({
    token_id: z.string(),
    token: z.string().describe("Told this once: what is kept is its hash"),
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
        session_id: z.string().nullable().describe("Null: everything"),
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
  summary: "replace a token; the old one opens nothing any more",
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
  summary: "revoke a key, and close what was opened with it",
  effect: "admin",
  params: z.strictObject({ token_id: z.string() }),
  result: z.object({ revoked: z.boolean().describe("False: there was none") }),
  errors: ["EDENIED", "EIO"],
  examples: [{ token_id: "t8x2k4" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});
