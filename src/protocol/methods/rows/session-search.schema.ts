import * as z from "zod";
import { expected } from "../expected.ts";
import { capped, cursor, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const place = { session_id: sessionId, cursor };

export const sessionSearch = row({
  name: "session.search",
  summary: "find text in the output of all sessions, the newest session first",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    query: z.string().min(1).describe("Looked for in each line, as session.read with view text has it"),
    regex: z.boolean().default(false).describe("query is a regular expression (of JavaScript, with the u flag)"),
    ignore_case: z.boolean().default(false),
    project: z.string().optional().describe("Only sessions of this project_id"),
    since: z.iso
      .datetime(expected("a time such as 2026-11-15T21:26:24.145Z"))
      .optional()
      .describe("Not those that ended before"),
    limit: capped(1, 1000, 50).describe("Hits of one answer"),
    per_session: capped(1, 1000, 10).describe("Hits of one session; session.read with grep has the others"),
    after: z.strictObject(place).optional().describe("Go on with `next` of an answer"),
  }),
  result: z.object({
    hits: z.array(
      z.object({
        ...place,
        name: z.string().nullable(),
        line: z.string().describe("What a program printed, shortened where it is long"),
      }),
    ),
    searched: z.int().describe("Sessions that were looked through"),
    unjudged: z.int().describe("Lines that the expression could not be tried on, because it backtracks too much"),
    next: z.object(place).nullable().describe("Null: there is no more"),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ query: "line 200" }, { query: "line 1\\d\\d", regex: true, limit: 5 }],
  cli: "holt search",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
