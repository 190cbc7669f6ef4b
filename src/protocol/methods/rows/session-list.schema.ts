/** The row of session.list. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { SESSION_STATES } from "../../types/session.ts";
import { capped, session } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

export const sessionList = row({
  name: "session.list",
  summary: "list sessions, newest first",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    states: z.array(z.enum(SESSION_STATES, expected(`one of ${SESSION_STATES.join(", ")}`))).optional(),
    name: z.string().optional(),
    project_id: z.string().optional(),
    limit: capped(1, 1000, 100),
    offset: capped(0, Number.MAX_SAFE_INTEGER, 0).describe("Sessions to skip: for the next page"),
  }),
  result: z.object({
    sessions: z.array(session),
    total_count: z.int().describe("Number of matching sessions, listed or not"),
  }),
  errors: ["EIO"],
  examples: [{}, { states: ["running"], limit: 10 }],
  cli: "holt ls",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
