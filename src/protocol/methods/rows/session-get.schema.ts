/** The row of session.get. */
import * as z from "zod";
import { session, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

export const sessionGet = row({
  name: "session.get",
  summary: "get everything about one session",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({ session_id: sessionId }),
  result: session,
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ session_id: "k3f9q2" }],
  cli: "holt show",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
