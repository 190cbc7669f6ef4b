/** Options and help page of `holt detach`. */
import type { Declaration } from "../declaration.ts";

export const DETACH = {
  name: "detach",
  summary: "detach clients from a session",
  usage: ["holt detach ID [--client CLIENT]..."],
  examples: [
    ["holt detach web", "detach all clients"],
    ["holt detach web --client c2", "detach one client; `holt clients web` lists the ids"],
  ],
  options: [
    { name: "client", short: "c", value: "CLIENT", completes: "client", summary: "only this client", repeats: true },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about:
    "The session keeps running. Prints nothing on success, even if no client was attached or the session has ended.",
} as const satisfies Declaration;
