/**
 * Attaching through the daemon. The daemon returns the holder's socket and the first frames to
 * send; from then on client and holder exchange frames directly (attach.ts), without the daemon.
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
  summary: "get the socket and first frames to attach to a session's terminal: its screen, then live output and input",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    role: z.enum(ROLES).default("driver").describe("viewer: its input is refused"),
    replay: z
      .enum(REPLAYS)
      .default("screen")
      .describe("What is sent first: the rebuilt screen, the last bytes, or nothing"),
    cursor: cursor.optional().describe('With replay "none": the cursor to resume at, e.g. after a lost connection'),
    size: z
      .strictObject({ cols: dimension, rows: dimension })
      .nullable()
      .default(null)
      .describe("Size of the client's terminal; null: it does not take part in the session's size"),
    scrollback: integerFrom(0, MAX_SCROLLBACK).default(DEFAULT_SCROLLBACK).describe("Lines of scrollback to send"),
    scrollback_bytes: integerFrom(0, MAX_SCROLLBACK_BYTES)
      .optional()
      .describe('With replay "raw": how many of the last bytes; default: pty.scrollback_bytes'),
    detach_others: z.boolean().default(false),
    takeover: z.boolean().default(false).describe("Take the keyboard if only one client may type"),
    clipboard: z.boolean().default(false).describe("Let the session write to the client's clipboard (OSC 52)"),
    pid: integerFrom(0, 2 ** 31)
      .default(0)
      .describe("Process id of the client, shown by session.clients"),
    label: z.string().max(MAX_LABEL).default(""),
  }),
  result: z.object({
    session_id: z.string(),
    socket: z.string().describe("Path of the unix socket to connect to"),
    opening: z
      .string()
      .meta({ contentEncoding: "base64" })
      .describe(
        "Send this first: HELLO and ATTACH. docs/architecture.md, The holder's socket, describes the frames that follow",
      ),
    protocol: z.int().describe("Version of the frame protocol"),
  }),
  errors: ["ENOTFOUND", "ESESSIONCLOSED", "EIO"],
  examples: [
    { session_id: "k3f9q2", role: "viewer" },
    { session_id: "k3f9q2", size: { cols: 80, rows: 24 } },
  ],
  cli: "holt attach",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
