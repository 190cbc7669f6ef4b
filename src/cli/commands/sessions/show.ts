/** `holt show`. */
import { LocalSessions, type SessionEvent } from "../../../client/sessions/local-sessions.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { padToWidth } from "../../../terminal/text/width.ts";
import { command } from "../../declarations/command.ts";
import { SHOW } from "../../declarations/sessions/show.ts";
import { stateText } from "../../output/describe-session.ts";
import { localTime } from "../../output/format.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { sessionFields } from "../../output/session-fields.ts";
import { type Style, stdoutStyle } from "../../output/style.ts";

const EVENTS_SHOWN = 10;
const LABEL_WIDTH = 12;

export const main = command(SHOW, ({ options, positionals: [reference = ""] }) => {
  const sessions = new LocalSessions();
  const session = sessions.get(sessions.resolve(reference).session_id);
  const events = sessions.events(session.session_id);
  const style = stdoutStyle();
  if (options.json) {
    writeJson({ ...session, events }, style);
    return 0;
  }
  const fields = sessionFields(session, { tty: style.tty, now: Date.now(), home: process.env.HOME ?? null });
  const { look } = stateText(session);
  for (const [name, value] of fields) {
    if (!style.tty) writeOut(`${name}\t${value}\n`);
    else
      writeOut(
        `${style.paint("dim", padToWidth(name, LABEL_WIDTH))}${style.paint(name === "state" ? look : "plain", value)}\n`,
      );
  }
  writeOut(
    style.tty ? eventList(events, style) : events.map((event) => `event\t${eventParts(event).join("\t")}\n`).join(""),
  );
  return 0;
});

function eventList(events: readonly SessionEvent[], style: Style): string {
  if (events.length === 0) return "";
  const shown = events.slice(-EVENTS_SHOWN);
  const earlier = events.length - shown.length;
  const note = earlier === 0 ? "" : style.paint("dim", `  … ${earlier} earlier; --json prints all\n`);
  const lines = shown.map((event) => `  ${[localTime(event.at), ...eventParts(event).slice(1)].join("  ")}\n`);
  return `\n${style.paint("dim", "events")}\n${note}${lines.join("")}`;
}

function eventParts({ at, type, ...rest }: SessionEvent): string[] {
  const known = Object.entries(rest).filter(([, value]) => value !== null);
  const details = known.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [at, type, details.join(" ")].map((part) => oneLine(part));
}
