/** Options and help page of `holt resize`. */
import type { Declaration } from "../declaration.ts";

export const RESIZE = {
  name: "resize",
  summary: "resize a session's terminal",
  usage: ["holt resize ID COLSxROWS"],
  examples: [["holt resize web 200x50", "200 columns, 50 rows"]],
  options: [],
  positionals: { name: "ID COLSxROWS", least: 2, most: 2, completes: "living", second: [] },
} as const satisfies Declaration;
