/** Ends sessions for `holt stop` and `holt kill`, and waits until they have ended. */
import { endMany, type EndOutcomes } from "../../../client/sessions/end-many.ts";
import { endSession, type EndRequest } from "../../../client/sessions/end-session.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { endProgress } from "./end-progress.ts";
import { writeJson } from "../../output/output.ts";
import { reportError } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";

interface Options {
  verb: "stopped" | "killed";
  json: boolean;
  end: EndRequest;
}

export async function endSessions(references: readonly string[], { verb, json, end }: Options): Promise<number> {
  const sessions = new LocalSessions();
  const resolve = sessions.resolver();
  let exit = 0;
  const attempt = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      exit = Math.max(exit, reportError(error, { json }));
      return null;
    }
  };
  const ids = new Set(references.flatMap((reference) => attempt(() => resolve(reference).session_id) ?? []));
  const outcomes = await ended(sessions, [...ids], { verb, end });
  const done: string[] = [];
  const before: string[] = [];
  for (const [id, outcome] of outcomes) {
    attempt(() => {
      if (outcome.status === "rejected") throw outcome.reason;
      (outcome.value ? done : before).push(id);
      requireNothingLeft(sessions, id);
    });
  }
  if (json) writeJson({ [verb]: done, already_ended: before }, stdoutStyle());
  return exit;
}

async function ended(
  sessions: LocalSessions,
  ids: readonly string[],
  { verb, end }: Omit<Options, "json">,
): Promise<EndOutcomes> {
  let left = ids.length;
  using _progress = endProgress(verb, () => left);
  return await endMany(ids, async (id) => {
    const hasEnded = await endSession(sessions, id, end);
    left -= 1;
    return hasEnded;
  });
}

function requireNothingLeft(sessions: LocalSessions, id: string): void {
  const survivors = sessions.exists(id) ? sessions.get(id).survivors : [];
  if (survivors.length === 0) return;
  throw new HoltError(
    "EIO",
    `session ${id} has ended, but some of its processes still run: pid ${survivors.join(", ")}`,
    {
      hint: "they belong to another user (sudo) or are stuck in the kernel; end them as that user",
    },
  );
}
