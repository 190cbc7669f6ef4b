/** `holt approvals`. */
import { type Approval, Approvals } from "../../../client/sessions/approvals.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { APPROVALS } from "../../declarations/machine/approvals.ts";
import { commandLine } from "../../output/describe-session.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";
import { renderTable } from "../../output/table.ts";

export const main = command(APPROVALS, ({ options }) => {
  const style = stdoutStyle();
  const waiting = new Approvals(new LocalSessions().layout).list();
  if (options.json) writeJson({ approvals: waiting }, style);
  else if (!style.tty) writeOut(waiting.map((each) => `${cells(each).join("\t")}\n`).join(""));
  else if (waiting.length === 0) writeOut("nothing waits for an approval\n");
  else {
    const rows = waiting.map((each) => {
      const [id = "", caller = "", left = "", directory = ""] = cells(each);
      return [
        { text: id, look: "accent" },
        { text: caller, look: "plain" },
        { text: `${left}s`, look: "plain" },
        { text: directory, look: "dim" },
      ] as const;
    });
    const [header = "", ...lines] = renderTable(COLUMNS, rows, style).split("\n");
    // What is approved of is shown to its end, however long: a row of a table would cut it.
    const whole = waiting.map((each, index) => `${lines[index]}\n  ${cells(each).at(-1)}\n`);
    writeOut(`${header}\n${whole.join("")}`);
  }
  return 0;
});

const COLUMNS = [
  { header: "ID", comfortable: 12, least: 6, leaves: null },
  { header: "CALLER", comfortable: 16, least: 6, leaves: 2 },
  { header: "LEFT", comfortable: 5, least: 4, leaves: 1 },
  { header: "DIRECTORY", comfortable: 20, least: 8, leaves: 3 },
];

function cells({ approval_id, caller, expires_at, cwd, argv, session_id, method }: Approval): string[] {
  const left = Math.max(0, Math.ceil((Date.parse(expires_at) - Date.now()) / 1000));
  const line = commandLine(argv);
  const what = session_id === undefined ? line : `${method} to session ${session_id}: ${line}`;
  return [approval_id, caller, String(left), cwd, what].map((text) => oneLine(text));
}
