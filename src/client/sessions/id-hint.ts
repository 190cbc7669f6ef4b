/** Methods take ids alone; who calls one with a name, as a person may on the command line, is told the id. */
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal } from "../../protocol/types/session.ts";
import type { LocalSessions } from "./local-sessions.ts";

/** An unknown session, with the id that was meant, or where ids are to be had; any other error as it is. */
export function withIdHint(error: HoltError, sessions: LocalSessions): HoltError {
  const { code, message, details, hint } = error;
  const { session_id: given } = details;
  if (code !== "ENOTFOUND" || hint !== null || typeof given !== "string") return error;
  return new HoltError(code, message, { details, hint: idHint(given, sessions), cause: error });
}

function idHint(name: string, sessions: LocalSessions): string {
  // To read thousands that no cache knows of yet would hold everybody up, for a hint.
  const matches = sessions.catchUp() === null ? sessions.briefListing({ name }).sessions : [];
  const meant = matches.find(({ state }) => !isFinal(state)) ?? matches[0];
  return meant === undefined
    ? "session.list has the ids"
    : `${JSON.stringify(name)} is the name of ${meant.session_id}`;
}
