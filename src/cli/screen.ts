/** `holt screen`. */
import { LocalSessions } from "../client/local-sessions.ts";
import { screenOf } from "../client/screen.ts";
import type { Screen } from "../terminal/screen.ts";
import { screenAnsi } from "../terminal/screen-ansi.ts";
import { screenHtml } from "../terminal/screen-html.ts";
import { screenSvg } from "../terminal/screen-svg.ts";
import { screenText } from "../terminal/screen-text.ts";
import { command } from "./command.ts";
import { SCREEN, type SCREEN_FORMATS } from "./declarations/screen.ts";
import { writeJson, writeOut } from "./output.ts";
import { progressLine } from "./progress-line.ts";
import { stdoutStyle } from "./style.ts";

const FORMATTERS: Record<(typeof SCREEN_FORMATS)[number], (screen: Screen) => string> = {
  text: screenText,
  ansi: screenAnsi,
  html: screenHtml,
  svg: screenSvg,
};

export const main = command(SCREEN, async ({ options, positionals: [reference = ""] }) => {
  const sessions = new LocalSessions();
  const session = sessions.resolve(reference);
  const progress = progressLine(`rendering ${session.session_id}`);
  const { cursor, screen } = await screenOf({ sessions, session, at: options.at, progress: progress.tell });
  progress.clear();
  if (options.json) writeJson({ at: String(cursor), text: screenText(screen), ...screen }, stdoutStyle());
  else writeOut(FORMATTERS[options.format ?? "text"](screen));
  return 0;
});
