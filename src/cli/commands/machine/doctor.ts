/** `holt doctor`. */
import { oneLine } from "../../../terminal/text/one-line.ts";
import type { Check } from "../checks/check.ts";
import { machineChecks } from "../checks/machine.ts";
import { stateChecks } from "../checks/state.ts";
import { command } from "../../declarations/command.ts";
import { DOCTOR } from "../../declarations/machine/doctor.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { fill, pageWidth } from "../../output/page.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { type Look, type Style, stdoutStyle } from "../../output/style.ts";

const SIGNS: Record<Check["state"], { sign: string; look: Look }> = {
  ok: { sign: "✓", look: "good" },
  missing: { sign: "–", look: "dim" },
  wrong: { sign: "✗", look: "bad" },
};
const INDENT = 20;

export const main = command(DOCTOR, async ({ options }) => {
  const style = stdoutStyle();
  const checks = [...(await machineChecks()), ...(await stateChecks())];
  if (options.json) writeJson({ checks }, style);
  else writeOut(checks.map((check) => (style.tty ? shown(check, style) : plain(check))).join(""));
  return checks.some(({ state }) => state === "wrong") ? EXIT_FAILURE : 0;
});

function plain({ name, state, found, costs }: Check): string {
  return `${[name, state, oneLine(found), oneLine(costs ?? "")].join("\t")}\n`;
}

/** The state is a sign and a word, never a colour alone. */
function shown({ name, state, found, costs }: Check, style: Style): string {
  const { sign, look } = SIGNS[state];
  const word = state === "ok" ? "" : `${state}: `;
  const head = `${style.paint(look, sign)} ${name.padEnd(INDENT - 2)}`;
  const text = fill(
    `${word}${oneLine(found)}${costs === null ? "" : `; ${oneLine(costs)}`}`,
    pageWidth(style) - INDENT,
  );
  return `${head}${text.join(`\n${" ".repeat(INDENT)}`)}\n`;
}
