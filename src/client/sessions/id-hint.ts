/** Adds the session's id to an ENOTFOUND error for a name: methods accept ids only. */
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal } from "../../protocol/types/session.ts";
import type { LocalSessions } from "./local-sessions.ts";

/** Returns any other error unchanged. */
export function withIdHint(error: HoltError, sessions: LocalSessions): HoltError {
  const { code, message, details, hint } = error;
  const { session_id: given } = details;
  if (code !== "ENOTFOUND" || hint !== null || typeof given !== "string") return error;
  return new HoltError(code, message, { details, hint: idHint(given, sessions), cause: error });
}

function idHint(name: string, sessions: LocalSessions): string {
  // Skipped while thousands of sessions are not cached yet: a hint must not delay other calls.
  const matches = sessions.catchUp() === null ? sessions.briefListing({ name }).sessions : [];
  const meant = matches.find(({ state }) => !isFinal(state)) ?? matches[0];
  return meant === undefined
    ? "session.list has the ids"
    : `${JSON.stringify(name)} is the name of ${meant.session_id}`;
}
