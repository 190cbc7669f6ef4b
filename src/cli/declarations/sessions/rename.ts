/** Options and help page of `holt rename`. */
import type { Declaration } from "../declaration.ts";

export const RENAME = {
  name: "rename",
  summary: "rename a running session",
  usage: ["holt rename ID NAME"],
  examples: [
    ["holt rename k3f9 web", "call it web from now on"],
    ['holt rename web ""', "remove its name"],
  ],
  options: [],
  positionals: { name: "ID NAME", least: 2, most: 2, completes: "living", second: [] },
} as const satisfies Declaration;
