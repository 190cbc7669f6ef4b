/** `holt screen`. */
import { LocalSessions } from "../client/local-sessions.ts";
import { formattedScreen } from "../client/screen.ts";
import { command } from "./command.ts";
import { SCREEN } from "./declarations/screen.ts";
import { writeJson, writeOut } from "./output.ts";
import { progressLine } from "./progress-line.ts";
import { stdoutStyle } from "./style.ts";

export const main = command(SCREEN, async ({ options, positionals: [reference = ""] }) => {
  const sessions = new LocalSessions();
  const session = sessions.resolve(reference);
  const progress = progressLine(`rendering ${session.session_id}`);
  const request = { sessions, session, at: options.at, progress: progress.tell };
  const { cursor, screen, content } = await formattedScreen(request, options.format ?? "text");
  progress.clear();
  if (options.json) writeJson({ at: String(cursor), content, ...screen }, stdoutStyle());
  else writeOut(content.endsWith("\n") ? content : `${content}\n`);
  return 0;
});
