/** The checks of a start and of a wait, done while nobody waits: what runs for the first time takes ten times as long. */
import { TABLE } from "../protocol/table.schema.ts";
import type { Meta } from "../protocol/session.ts";
import { justStarted } from "../transcript/state.ts";
import { parsedParams } from "./parsed-params.ts";
import { startRequestFrom } from "./start-request-from.ts";
import type { Parsed } from "../protocol/table.schema.ts";

const TIMES = 30;
const METHODS = ["session.start", "session.wait", "exec.run", "shell.run"];

const META: Meta = {
  format: 1,
  session_id: "x",
  name: null,
  argv: ["true"],
  cwd: "/",
  env_keys: ["HOME"],
  transport_mode: "pipe",
  tty_attached: false,
  size: null,
  project_id: null,
  shared: true,
  retention_seconds: 1,
  previous_session_id: null,
  restart: null,
  limits: null,
  linger: false,
  timeout_ms: null,
  idle_timeout_ms: null,
  client_rules: null,
  started_by: null,
  channels: [],
  max_output_bytes: 1,
  created_at: "2020-01-01T00:00:00.000Z",
  started_at: null,
  process: null,
  holder: { pid: 1, start_time: null, boot_id: null },
  socket: null,
  holt_version: "0.0.0",
};

export function rehearse(): void {
  for (let time = 0; time < TIMES; time++) {
    for (const method of METHODS) {
      const row = TABLE.get(method);
      if (row === undefined) continue;
      for (const example of row.examples) {
        const parsed = parsedParams(row, example);
        if (method === "session.start") startRequestFrom(parsed as Parsed<"session.start">);
      }
      row.result.safeParse(justStarted(META));
    }
  }
}
