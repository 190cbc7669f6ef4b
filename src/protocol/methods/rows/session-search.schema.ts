/** The row of session.search. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { capped, cursor, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const position = { session_id: sessionId, cursor };

export const sessionSearch = row({
  name: "session.search",
  summary: "find text in the output of all sessions, newest session first",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    query: z.string().min(1).describe("Text to find in each line, as in session.read with view text"),
    regex: z.boolean().default(false).describe("Treat query as a regular expression (JavaScript, u flag)"),
    ignore_case: z.boolean().default(false),
    project: z.string().optional().describe("Only sessions of this project_id"),
    since: z.iso
      .datetime(expected("a time such as 2026-11-15T21:26:24.145Z"))
      .optional()
      .describe("Leave out sessions that ended before this time"),
    limit: capped(1, 1000, 50).describe("Most hits in the answer"),
    per_session: capped(1, 1000, 10).describe("Most hits of one session; session.read with grep finds the rest"),
    after: z.strictObject(position).optional().describe("`next` of the previous answer, for the next page"),
  }),
  result: z.object({
    hits: z.array(
      z.object({
        ...position,
        name: z.string().nullable(),
        line: z.string().describe("The printed line, shortened if it is long"),
      }),
    ),
    searched: z.int().describe("Number of sessions searched"),
    unjudged: z.int().describe("Lines skipped because the expression backtracks too much"),
    next: z.object(position).nullable().describe("Null: no more hits"),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ query: "line 200" }, { query: "line 1\\d\\d", regex: true, limit: 5 }],
  cli: "holt search",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
