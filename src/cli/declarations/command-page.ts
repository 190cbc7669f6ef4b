/** Renders the help page of a command from its declaration. */
import { type Declaration, type Option, optionsOf } from "./declaration.ts";
import { writeOut } from "../output/output.ts";
import { fill, pageWidth, renderPage, renderPairs, titled } from "../output/page.ts";
import { type Style, stdoutStyle } from "../output/style.ts";

export function showCommandPage(declaration: Declaration): number {
  writeOut(commandPage(declaration, stdoutStyle()));
  return 0;
}

export function commandPage(declaration: Declaration, style: Style): string {
  const { name, summary, usage, examples, about } = declaration;
  const heading = (title: string): string => `\n${style.paint("bold", title)}\n`;
  let page = titled(`holt ${name}`, `: ${summary}`, style);
  page += `\n${usage.map((line) => `  ${fill(line, pageWidth(style) - 4).join("\n    ")}\n`).join("")}`;
  page += heading("Examples") + renderPairs(examples, style);
  page += heading("Options") + renderPairs(optionsOf(declaration).map(optionPair), style);
  if (about !== undefined) page += `\n${renderPage(about, style)}`;
  return page;
}

function optionPair({ short, name, value, summary }: Option): readonly [string, string] {
  const letter = short === undefined ? "    " : `-${short}, `;
  return [`${letter}--${name}${value === undefined ? "" : ` ${value}`}`, summary];
}
