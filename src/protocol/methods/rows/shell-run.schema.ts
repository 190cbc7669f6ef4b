import * as z from "zod";
import { base64, capped, exitStatus } from "./fields.schema.ts";
import { row } from "./row.schema.ts";
import {
  directory,
  environment,
  MAX_RUN_MS,
  outcome,
  page,
  RUN_MARGIN_MS,
  runTimeout,
  words,
} from "./run-fields.schema.ts";

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const { session_id, signal, timed_out, duration_ms } = outcome;

export const shellRun = row({
  name: "shell.run",
  summary: "run a command to its end: strict arguments, no shell, an empty environment, bytes in and out",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    argv: words.describe("The command and its arguments; no shell reads them"),
    cwd: directory,
    env: environment.describe(
      "All of its environment; where policy.allow names commands, with the daemon's PATH if it has none",
    ),
    timeout_ms: runTimeout.default(120_000),
    stdin: z.base64().default("").describe("All that it reads"),
    max_bytes: capped(0, MAX_ANSWER_BYTES, 1024 * 1024).describe(
      "Of both streams together in the answer; the session has all",
    ),
  }),
  result: z.object({
    rc: exitStatus,
    signal,
    stdout: base64,
    stderr: base64,
    duration_ms,
    cwd: z.string(),
    usage: z.object({ cpu_ms: z.number(), max_rss_kb: z.number() }).nullable(),
    timed_out,
    ...page,
    session_id,
  }),
  errors: ["ENOTFOUND", "EDENIED", "ERLIMIT", "EBUSY", "EIO"],
  examples: [{ argv: ["echo", "hello"] }, { argv: ["sort"], stdin: "YgphCg==", env: { LC_ALL: "C" } }],
  cli: null,
  deadlineMs: MAX_RUN_MS + RUN_MARGIN_MS,
});
