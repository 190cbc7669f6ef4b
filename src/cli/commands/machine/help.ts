/** `holt help [TOPIC]`. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { command } from "../../declarations/command.ts";
import { commandPage } from "../../declarations/command-page.ts";
import { COMMANDS } from "../../declarations/commands.ts";
import { HELP } from "../../declarations/machine/help.ts";
import { nearest } from "../../../protocol/methods/nearest.ts";
import { writeOut } from "../../output/output.ts";
import { renderPage, renderPairs, titled } from "../../output/page.ts";
import { type Style, stdoutStyle } from "../../output/style.ts";
import { TOPICS } from "../../topics/topics.ts";

export const main = command(HELP, ({ positionals: [topic] }) => {
  const style = stdoutStyle();
  writeOut(topic === undefined ? contents(style) : pageOf(topic, style));
  return 0;
});

function contents(style: Style): string {
  const heading = (title: string): string => `\n${style.paint("bold", title)}\n`;
  const list = (entries: readonly { name: string; summary: string }[]): string =>
    renderPairs(
      entries.map(({ name, summary }) => [name, summary]),
      style,
    );
  const about = " runs commands as durable sessions that you can attach to, read, drive and share.";
  let page = titled("holt", about, style);
  page += heading("Commands") + list(COMMANDS);
  page += heading("Topics") + list(TOPICS);
  return `${page}\n${renderPage("Run `holt help NAME` for a command or topic. `holt COMMAND --help` shows the same page.", style)}`;
}

function pageOf(name: string, style: Style): string {
  const declaration = COMMANDS.find((candidate) => candidate.name === name);
  if (declaration !== undefined) return commandPage(declaration, style);
  const topic = TOPICS.find((candidate) => candidate.name === name);
  if (topic !== undefined) return renderPage(topic.text, style);
  const near = nearest(
    name,
    [...COMMANDS, ...TOPICS].map((known) => known.name),
  );
  throw new HoltError("EBADARGS", `unknown command or topic: "${name}"`, {
    hint:
      near === null ? "`holt help` lists commands and topics" : `did you mean ${near}? \`holt help\` lists them all`,
  });
}
