// Loaded before every test file (bunfig.toml). What is random is the same in every `make test`, so that a change is
// judged by the change; `make soak` looks for new cases and prints the seed of each failure. HOLT_CHAOS_SEED tries one.

import * as fc from "fast-check";

const FIXED = 20_261_116;

export const seed = Number(
  process.env["HOLT_CHAOS_SEED"] ?? (process.env["HOLT_SOAK"] === "1" ? Date.now() % 1_000_000 : FIXED),
);

fc.configureGlobal({ seed });
