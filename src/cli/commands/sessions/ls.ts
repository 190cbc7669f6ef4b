/** `holt ls`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { latestAttempts } from "../../../protocol/types/restart.ts";
import { isFinal, type Session, SESSION_STATES } from "../../../protocol/types/session.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import { command } from "../../declarations/command.ts";
import { LS } from "../../declarations/sessions/ls.ts";
import { plural } from "../../output/format.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { renderPairs } from "../../output/page.ts";
import { plainLine, sessionTable } from "../../output/session-table.ts";
import { type Style, stdoutStyle } from "../../output/style.ts";

/** How long an ended session is still listed without `--all`. */
const RECENT_MS = 60 * 60 * 1000;

export const main = command(LS, ({ options }) => {
  if (options.quiet && options.json) {
    throw new HoltError("EBADARGS", "--quiet and --json cannot be used together", {
      hint: "see `holt help ls`",
    });
  }
  const sessions = new LocalSessions();
  const style = stdoutStyle();
  const now = Date.now();
  const { listed, unlisted } = selectSessions(sessions, options, now);
  if (options.json) writeJson({ sessions: listed }, style);
  else if (options.quiet) writeOut(listed.map(({ session_id }) => `${session_id}\n`).join(""));
  else if (!style.tty) writeOut(listed.map((session) => plainLine(sessions, session)).join(""));
  else if (listed.length === 0)
    writeOut(options.limit === 0 ? "" : emptyList({ unlisted, state: options.state, style }));
  else {
    writeOut(sessionTable({ sessions, listed, style, now }));
    writeOut(style.paint("dim", footer(unlisted)));
  }
  return 0;
});

/** How many sessions are not listed, by reason. */
interface Unlisted {
  /** Ended more than an hour ago. */
  older: number;
  /** Earlier attempts of a restarted command. */
  earlier: number;
  /** Exceed -n. */
  overLimit: number;
}

function selectSessions(
  sessions: LocalSessions,
  options: Parsed<typeof LS>["options"],
  now: number,
): { listed: Session[]; unlisted: Unlisted } {
  const state = SESSION_STATES.find((known) => known === options.state);
  const recent = options.all ? {} : { endedSince: now - RECENT_MS + 1 };
  const { sessions: found, total } = sessions.listing(state === undefined ? recent : { states: [state] });
  // Only the latest attempt of a restarted command is listed.
  const wanted = options.all || state !== undefined ? found : latestAttempts(found);
  const ordered = [...wanted.filter(({ state: s }) => !isFinal(s)), ...wanted.filter(({ state: s }) => isFinal(s))];
  const listed = options.limit === null ? ordered : ordered.slice(0, options.limit);
  const older = state === undefined ? total - found.length : 0;
  const [earlier, overLimit] = [found.length - wanted.length, ordered.length - listed.length];
  return { listed, unlisted: { older, earlier, overLimit } };
}

function footer({ older, earlier, overLimit }: Unlisted): string {
  const all = [earlier > 0 ? plural(earlier, "earlier attempt") : "", older > 0 ? `${older} older` : ""].filter(
    Boolean,
  );
  const lines = [
    ...(overLimit > 0 ? [`${overLimit} more not shown because of -n\n`] : []),
    ...(all.length > 0 ? [`${all.join(" and ")} not shown: holt ls --all\n`] : []),
  ];
  return lines.length === 0 ? "" : `\n${lines.join("")}`;
}

/** A new user may see the empty list first: it suggests commands. */
function emptyList({ unlisted, state, style }: { unlisted: Unlisted; state: string | null; style: Style }): string {
  const { older } = unlisted;
  if (state !== null) return style.paint("dim", `no session in state ${state}\n`);
  const first = older === 0 ? "No sessions yet." : `No session is running or ended in the last hour; ${older} older.`;
  const suggestions: [string, string][] = [
    ["holt run -- npm test", "run a command and record its output"],
    ["holt logs -f ID", "follow its output, from any terminal"],
  ];
  if (older > 0) suggestions.unshift(["holt ls --all", "list older sessions too"]);
  return `${first}\n\n${renderPairs(suggestions, style)}`;
}
