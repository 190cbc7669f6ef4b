import type { Declaration } from "../declaration.ts";

export const DETACH = {
  name: "detach",
  summary: "let those who are attached to a session go",
  usage: ["holt detach ID [--client CLIENT]..."],
  examples: [
    ["holt detach web", "everybody"],
    ["holt detach web --client c2", "one of them, as `holt clients web` names it"],
  ],
  options: [
    { name: "client", short: "c", value: "CLIENT", completes: "client", summary: "only this one", repeats: true },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about: "The session goes on. Says nothing when it worked, also when nobody was attached, or the session has ended.",
} as const satisfies Declaration;
