/** `holt search`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { compilePattern } from "../../../client/read/text/grep-request.ts";
import { type SearchHit, searchSessions } from "../../../client/read/text/search.ts";
import { parseDuration } from "../../../protocol/types/duration.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { unjudgedText } from "../../../terminal/text/unjudged-text.ts";
import { command } from "../../declarations/command.ts";
import { SEARCH } from "../../declarations/output/search.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { type Style, stderrStyle, stdoutStyle } from "../../output/style.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_PER_SESSION = 10;

export const main = command(SEARCH, async ({ options, positionals: [text = ""] }) => {
  const spec = { text, isRegex: options.regex, ignoreCase: options["ignore-case"] };
  if (text === "") throw new HoltError("EBADARGS", "TEXT is empty", { hint: "see `holt help search`" });
  compilePattern(spec);
  const request = {
    spec,
    project: options.project,
    since: options.since === null ? null : timeOf(options.since),
    limit: options.limit ?? DEFAULT_LIMIT,
    perSession: options["per-session"] ?? DEFAULT_PER_SESSION,
    after: null,
  };
  const { hits, searched, unjudged, next } = await searchSessions(
    new LocalSessions(),
    request,
    new AbortController().signal,
  );
  const style = stdoutStyle();
  const withTextCursor = (hit: { session_id: string; cursor: number }): object => ({
    ...hit,
    cursor: String(hit.cursor),
  });
  if (options.json)
    writeJson(
      { hits: hits.map(withTextCursor), searched, unjudged, next: next === null ? null : withTextCursor(next) },
      style,
    );
  else writeOut(hits.map((hit) => shown(hit, style)).join(""));
  if (unjudged > 0) writeErr(`holt: ${unjudgedText(unjudged)}\n`);
  if (next !== null && !options.json && stderrStyle().tty)
    writeErr("holt: there are more hits; raise the limit with -n\n");
  return hits.length === 0 ? EXIT_FAILURE : 0;
});

function shown({ session_id, name, cursor, line }: SearchHit, style: Style): string {
  const known = style.tty && name !== null ? ` (${oneLine(name)})` : "";
  return `${style.paint("accent", session_id)}${known}${style.paint("dim", `:${cursor}:`)} ${line}\n`;
}

function timeOf(text: string): number {
  const ago = parseDuration(text);
  if (ago !== null) return Date.now() - ago;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new HoltError("EBADARGS", `invalid --since: "${text}"`, {
    hint: "use a duration, e.g. 90m, or a time, e.g. 2026-11-15T21:26:24Z",
  });
}
