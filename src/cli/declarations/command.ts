/** From a declaration and what it does to the `main` that the router calls. */
import { asksForJson, type Parsed, parseArguments } from "./arguments.ts";
import type { Declaration } from "./declaration.ts";

export type Main = (args: string[]) => Promise<number>;

export function command<D extends Declaration>(
  declaration: D,
  act: (parsed: Parsed<D>) => number | Promise<number>,
): Main {
  return async (args) => {
    try {
      const parsed = parseArguments(declaration, args);
      if (!parsed.help) return await act(parsed);
      const { showCommandPage } = await import("./command-page.ts");
      return showCommandPage(declaration);
    } catch (error) {
      const { reportError } = await import("../output/report-error.ts");
      return reportError(error, { json: asksForJson(args) });
    }
  };
}
