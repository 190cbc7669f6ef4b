/**
 * Wraps a command's action as the `main` function that the router calls: parses arguments and
 * reports errors.
 */
import { wantsJson, type Parsed, parseArguments } from "./arguments.ts";
import type { Declaration } from "./declaration.ts";

export type Main = (args: string[]) => Promise<number>;

export function command<D extends Declaration>(
  declaration: D,
  action: (parsed: Parsed<D>) => number | Promise<number>,
): Main {
  return async (args) => {
    try {
      const parsed = parseArguments(declaration, args);
      if (!parsed.help) return await action(parsed);
      const { showCommandPage } = await import("./command-page.ts");
      return showCommandPage(declaration);
    } catch (error) {
      const { reportError } = await import("../output/report-error.ts");
      return reportError(error, { json: wantsJson(args) });
    }
  };
}
