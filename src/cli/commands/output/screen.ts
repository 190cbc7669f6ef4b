/** `holt screen`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { formattedScreen } from "../../../client/read/screen.ts";
import type { Screen } from "../../../terminal/screen/screen.ts";
import { command } from "../../declarations/command.ts";
import { SCREEN } from "../../declarations/output/screen.ts";
import { label } from "../../output/describe-session.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { progressLine } from "../../output/progress-line.ts";
import { stdoutStyle } from "../../output/style.ts";

export const main = command(SCREEN, async ({ options, positionals: [reference = ""] }) => {
  const sessions = new LocalSessions();
  const session = sessions.resolve(reference);
  const progress = progressLine(`rendering ${session.session_id}`);
  const request = {
    sessions,
    session,
    at: options.at,
    progress: progress.update,
    signal: new AbortController().signal,
  };
  const { cursor, screen, content } = await formattedScreen(request, options.format ?? "text");
  progress.clear();
  if (options.json) writeJson({ cursor: String(cursor), content, ...fieldsOf(screen) }, stdoutStyle());
  else writeOut(content.endsWith("\n") ? content : `${content}\n`);
  if (options.at !== null && options.at > cursor)
    writeErr(
      `holt: cursor ${options.at} is past the end of ${label(session)}; this is its screen at cursor ${cursor}\n`,
    );
  return 0;
});

/**
 * Field names of session.screen: there, `cursor` is the transcript cursor; the terminal's cursor is
 * a row and a column.
 */
function fieldsOf({ cursor: { row, col, visible, shape, blink }, ...screen }: Screen) {
  return { row, col, cursor_visible: visible, cursor_shape: shape, cursor_blink: blink, ...screen };
}
