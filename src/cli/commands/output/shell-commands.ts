/** `holt commands`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { formatAge } from "../../../protocol/types/duration.ts";
import { SHELL_HINT, NOT_A_SHELL, type ShellCommand } from "../../../protocol/types/shell-command.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { SHELL_COMMANDS } from "../../declarations/output/commands.ts";
import { label } from "../../output/describe-session.ts";
import { formatDuration } from "../../output/format.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";
import { type Column, renderTable } from "../../output/table.ts";

const DEFAULT_LIMIT = 100;
/**
 * Shown as a sign: joined by a space, the lines of a multi-line command would read as one command.
 */
const LINE_END = /\s*\n\s*/g;
const COLUMNS: readonly Column[] = [
  { header: "N", preferredWidth: 4, minWidth: 2, dropOrder: 2 },
  { header: "EXIT", preferredWidth: 7, minWidth: 4, dropOrder: null },
  { header: "TOOK", preferredWidth: 8, minWidth: 4, dropOrder: 3 },
  { header: "AGE", preferredWidth: 4, minWidth: 3, dropOrder: 1 },
  { header: "DIRECTORY", preferredWidth: 12, minWidth: 4, dropOrder: 4 },
  { header: "COMMAND", preferredWidth: 20, minWidth: 7, dropOrder: null },
];

export const main = command(SHELL_COMMANDS, ({ options, positionals: [reference = ""] }) => {
  const sessions = new LocalSessions();
  const session = sessions.resolve(reference);
  const { shell, commands } = sessions.commands(session.session_id, options.limit ?? DEFAULT_LIMIT);
  const style = stdoutStyle();
  if (options.json) writeJson({ shell, commands: commands.map(inJson) }, style);
  else if (shell === null) throw new HoltError("EBADARGS", NOT_A_SHELL, { hint: SHELL_HINT });
  else if (!style.tty) writeOut(commands.map(plainLine).join(""));
  else if (commands.length === 0) writeErr(`no commands run yet in ${label(session)}\n`);
  else writeOut(renderTable(COLUMNS, commands.map(rowOf), style));
  return 0;
});

function rowOf(shown: ShellCommand) {
  const { number, exit_code, ended_at, duration_ms, started_at, cwd } = shown;
  const isBad = exit_code !== null && exit_code !== 0;
  return [
    { text: String(number), look: "accent" },
    { text: ended_at === null ? "–" : String(exit_code ?? "?"), look: isBad ? "bad" : "plain" },
    { text: duration_ms === null ? "–" : formatDuration(duration_ms), look: "plain" },
    { text: formatAge(Date.now() - Date.parse(started_at)), look: "dim" },
    { text: oneLine(cwd ?? "–"), look: "dim" },
    { text: textOfCommand(shown), look: "plain" },
  ] as const;
}

function plainLine(shown: ShellCommand): string {
  const { number, exit_code, duration_ms, started_at, output_start, output_end, cwd } = shown;
  const fields = [
    number,
    exit_code ?? "",
    duration_ms ?? "",
    started_at,
    output_start,
    output_end ?? "",
    oneLine(cwd ?? ""),
  ];
  return `${fields.join("\t")}\t${textOfCommand(shown)}\n`;
}

function textOfCommand({ command: text, command_cut }: ShellCommand): string {
  return text === null ? "–" : `${oneLine(text.trim().replaceAll(LINE_END, " ⏎ "))}${command_cut ? "…" : ""}`;
}

function inJson({ output_start, output_end, ...rest }: ShellCommand): object {
  const end = output_end === null ? null : String(output_end);
  return { ...rest, output_start: String(output_start), output_end: end };
}
