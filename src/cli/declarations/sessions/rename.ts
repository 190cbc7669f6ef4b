import type { Declaration } from "../declaration.ts";

export const RENAME = {
  name: "rename",
  summary: "give a running session another name",
  usage: ["holt rename ID NAME"],
  examples: [
    ["holt rename k3f9 web", "find it as web from now on"],
    ['holt rename web ""', "take its name away"],
  ],
  options: [],
  positionals: { name: "ID NAME", least: 2, most: 2, completes: "living", second: [] },
} as const satisfies Declaration;
