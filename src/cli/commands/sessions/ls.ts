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
    throw new HoltError("EBADARGS", "--quiet and --json exclude each other", {
      hint: "`holt help ls` explains them",
    });
  }
  const sessions = new LocalSessions();
  const style = stdoutStyle();
  const now = Date.now();
  const { listed, left } = choose(sessions, options, now);
  if (options.json) writeJson({ sessions: listed }, style);
  else if (options.quiet) writeOut(listed.map(({ session_id }) => `${session_id}\n`).join(""));
  else if (!style.tty) writeOut(listed.map((session) => plainLine(sessions, session)).join(""));
  else if (listed.length === 0) writeOut(options.limit === 0 ? "" : nothing({ left, state: options.state, style }));
  else {
    writeOut(sessionTable({ sessions, listed, style, now }));
    writeOut(style.paint("dim", footer(left)));
  }
  return 0;
});

/** How many are not listed, and why. */
interface Left {
  /** They ended more than an hour ago. */
  older: number;
  /** They were started again since. */
  earlier: number;
  /** More than -n. */
  beyond: number;
}

function choose(
  sessions: LocalSessions,
  options: Parsed<typeof LS>["options"],
  now: number,
): { listed: Session[]; left: Left } {
  const state = SESSION_STATES.find((known) => known === options.state);
  const recent = options.all ? {} : { endedSince: now - RECENT_MS + 1 };
  const { sessions: found, total } = sessions.listing(state === undefined ? recent : { states: [state] });
  // An attempt that was followed by another is history.
  const wanted = options.all || state !== undefined ? found : latestAttempts(found);
  const ordered = [...wanted.filter(({ state: s }) => !isFinal(s)), ...wanted.filter(({ state: s }) => isFinal(s))];
  const listed = options.limit === null ? ordered : ordered.slice(0, options.limit);
  const older = state === undefined ? total - found.length : 0;
  return { listed, left: { older, earlier: found.length - wanted.length, beyond: ordered.length - listed.length } };
}

function footer({ older, earlier, beyond }: Left): string {
  const all = [earlier > 0 ? plural(earlier, "earlier attempt") : "", older > 0 ? `${older} older` : ""].filter(
    Boolean,
  );
  const lines = [
    ...(beyond > 0 ? [`${beyond} more not shown: -n left them out\n`] : []),
    ...(all.length > 0 ? [`${all.join(" and ")} not shown: holt ls --all\n`] : []),
  ];
  return lines.length === 0 ? "" : `\n${lines.join("")}`;
}

/** An empty list is where somebody begins. */
function nothing({ left, state, style }: { left: Left; state: string | null; style: Style }): string {
  const { older } = left;
  if (state !== null) return style.paint("dim", `no session is ${state}\n`);
  const first = older === 0 ? "No sessions yet." : `Nothing runs, and nothing ended in the last hour; ${older} older.`;
  const moves: [string, string][] = [
    ["holt run -- npm test", "run a command; its output is kept"],
    ["holt logs -f ID", "read it, from here or from another terminal"],
  ];
  if (older > 0) moves.unshift(["holt ls --all", "list the older ones too"]);
  return `${first}\n\n${renderPairs(moves, style)}`;
}
