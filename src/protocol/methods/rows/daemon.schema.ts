/** The daemon itself. */
import * as z from "zod";
import { MAX_GRACE_MS } from "../../wire/holder-methods.ts";
import { integerFrom } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const count = z.int().min(0);

export const healthInfo = row({
  name: "health.info",
  summary: "report the daemon's version, uptime and counts",
  effect: "read",
  params: z.strictObject({}),
  result: z.object({
    version: z.string(),
    runtime: z.string(),
    pid: count,
    socket: z.string().describe("Where it listens"),
    executable: z
      .enum(["current", "replaced", "removed"])
      .optional()
      .describe("Whether its file is still what its path names; if not, it ends once no client is connected"),
    uptime_s: count,
    sessions: z.object({ starting: count, running: count, ended: count, lost: count }),
    holders: count.describe("Of the sessions that live"),
    warm: count.describe("Started and idle, for the next sessions"),
    clients: count.describe("Connected now"),
  }),
  errors: ["EIO"],
  examples: [{}],
  cli: "holt daemon status",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const daemonShutdown = row({
  name: "daemon.shutdown",
  summary: "end the daemon; sessions run on unless `stop_sessions` asks for their end",
  effect: "admin",
  params: z.strictObject({
    stop_sessions: z.boolean().default(false).describe("Stop every session first, with grace"),
    grace_ms: integerFrom(0, MAX_GRACE_MS).optional(),
  }),
  result: z.object({ stopped: z.array(z.string()).describe("The sessions that were stopped") }),
  errors: ["EDENIED", "EIO"],
  examples: [{}, { stop_sessions: true }],
  cli: "holt daemon stop",
  deadlineMs: MAX_GRACE_MS + DEFAULT_DEADLINE_MS,
});
