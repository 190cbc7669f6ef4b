/**
 * Attaching, for a program that speaks to the daemon. The daemon is not in the way of a terminal: it answers where the session's holder listens and with what to
 * begin there, and from then on frames go to and fro on that connection (attach.ts), whatever becomes of the daemon.
 */
import * as z from "zod";
import { DEFAULT_SCROLLBACK, REPLAYS, ROLES } from "../../wire/attach.ts";
import { MAX_SCROLLBACK_BYTES } from "../../types/settings.ts";
import { cursor, dimension, integerFrom, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const MAX_SCROLLBACK = 100_000;
const MAX_LABEL = 200;

export const sessionAttach = row({
  name: "session.attach",
  summary: "get the socket and first frames to attach to a session's terminal: its screen, later output, and keys",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    role: z.enum(ROLES).default("driver").describe("viewer: what it types is refused"),
    replay: z.enum(REPLAYS).default("screen").describe("What comes first: the screen rebuilt, the last bytes, nothing"),
    cursor: cursor.optional().describe('With replay "none": output from there on, as after a lost connection'),
    size: z
      .strictObject({ cols: dimension, rows: dimension })
      .nullable()
      .default(null)
      .describe("Of the client's terminal; null: it has no say in the session's size"),
    scrollback: integerFrom(0, MAX_SCROLLBACK).default(DEFAULT_SCROLLBACK).describe("Lines above the screen"),
    scrollback_bytes: integerFrom(0, MAX_SCROLLBACK_BYTES)
      .optional()
      .describe('With replay "raw": so many of the last bytes; pty.scrollback_bytes without it'),
    detach_others: z.boolean().default(false),
    takeover: z.boolean().default(false).describe("Take the keyboard, where one client alone may type"),
    clipboard: z.boolean().default(false).describe("It may write the client's clipboard (OSC 52)"),
    pid: integerFrom(0, 2 ** 31)
      .default(0)
      .describe("Who it is, for session.clients"),
    label: z.string().max(MAX_LABEL).default(""),
  }),
  result: z.object({
    session_id: z.string(),
    socket: z.string().describe("A unix socket: dial it"),
    opening: z
      .string()
      .meta({ contentEncoding: "base64" })
      .describe(
        "Write this first: HELLO and ATTACH. What is answered, and what may be said then, is in docs/architecture.md, The holder's socket",
      ),
    protocol: z.int().describe("The version of these frames"),
  }),
  errors: ["ENOTFOUND", "ESESSIONCLOSED", "EIO"],
  examples: [
    { session_id: "k3f9q2", role: "viewer" },
    { session_id: "k3f9q2", size: { cols: 80, rows: 24 } },
  ],
  cli: "holt attach",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
