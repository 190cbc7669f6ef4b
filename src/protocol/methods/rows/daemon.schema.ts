/** Rows of the daemon itself. */
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
    socket: z.string().describe("Path of its unix socket"),
    executable: z
      .enum(["current", "replaced", "removed"])
      .optional()
      .describe(
        "Whether its path still leads to the running file; if not, the daemon ends once no client is connected",
      ),
    uptime_s: count,
    sessions: z.object({ starting: count, running: count, ended: count, lost: count }),
    holders: count.describe("Holder processes of live sessions"),
    warm: count.describe("Warm holders: started and idle, for the next sessions"),
    clients: count.describe("Connected clients"),
  }),
  errors: ["EIO"],
  examples: [{}],
  cli: "holt daemon status",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const daemonShutdown = row({
  name: "daemon.shutdown",
  summary: "end the daemon; sessions keep running unless `stop_sessions` is true",
  effect: "admin",
  params: z.strictObject({
    stop_sessions: z.boolean().default(false).describe("Stop every session first, with a grace period"),
    grace_ms: integerFrom(0, MAX_GRACE_MS).optional(),
  }),
  result: z.object({ stopped: z.array(z.string()).describe("Ids of the stopped sessions") }),
  errors: ["EDENIED", "EIO"],
  examples: [{}, { stop_sessions: true }],
  cli: "holt daemon stop",
  deadlineMs: MAX_GRACE_MS + DEFAULT_DEADLINE_MS,
});
