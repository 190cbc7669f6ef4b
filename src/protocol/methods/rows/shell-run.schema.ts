/** The row of shell.run. */
import * as z from "zod";
import { base64, capped, exitStatus } from "./fields.schema.ts";
import { row } from "./row.schema.ts";
import {
  cwdField,
  envField,
  MAX_RUN_MS,
  outcomeFields,
  pageFields,
  RUN_MARGIN_MS,
  runTimeoutField,
  argvList,
} from "./run-fields.schema.ts";

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const { session_id, signal, timed_out, duration_ms } = outcomeFields;

export const shellRun = row({
  name: "shell.run",
  summary: "run a command to its end without a shell, in an empty environment, with bytes in and out",
  effect: "exec",
  isUntrusted: true,
  params: z.strictObject({
    argv: argvList.describe("The command and its arguments, without a shell"),
    cwd: cwdField,
    env: envField.describe(
      "The whole environment; the daemon's PATH is added if it has none and policy.allow names commands",
    ),
    timeout_ms: runTimeoutField.default(120_000),
    stdin: z.base64().default("").describe("The whole stdin"),
    max_bytes: capped(0, MAX_ANSWER_BYTES, 1024 * 1024).describe(
      "Most output bytes in the answer, over both streams; the session keeps all",
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
    ...pageFields,
    session_id,
  }),
  errors: ["ENOTFOUND", "EDENIED", "ERLIMIT", "EBUSY", "EIO"],
  examples: [{ argv: ["echo", "hello"] }, { argv: ["sort"], stdin: "YgphCg==", env: { LC_ALL: "C" } }],
  cli: null,
  deadlineMs: MAX_RUN_MS + RUN_MARGIN_MS,
});
