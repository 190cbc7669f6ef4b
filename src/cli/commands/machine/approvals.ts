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
  else if (waiting.length === 0) writeOut("no command waits for approval\n");
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
    // The command has a line of its own and is never cut: the user approves all of it.
    const whole = waiting.map((each, index) => `${lines[index]}\n  ${cells(each).at(-1)}\n`);
    writeOut(`${header}\n${whole.join("")}`);
  }
  return 0;
});

const COLUMNS = [
  { header: "ID", preferredWidth: 12, minWidth: 6, dropOrder: null },
  { header: "CALLER", preferredWidth: 16, minWidth: 6, dropOrder: 2 },
  { header: "LEFT", preferredWidth: 5, minWidth: 4, dropOrder: 1 },
  { header: "DIRECTORY", preferredWidth: 20, minWidth: 8, dropOrder: 3 },
];

function cells({ approval_id, caller, expires_at, cwd, argv, session_id, method }: Approval): string[] {
  const left = Math.max(0, Math.ceil((Date.parse(expires_at) - Date.now()) / 1000));
  const line = commandLine(argv);
  const what = session_id === undefined ? line : `${method} to session ${session_id}: ${line}`;
  return [approval_id, caller, String(left), cwd, what].map((text) => oneLine(text));
}
