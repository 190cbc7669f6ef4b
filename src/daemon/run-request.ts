/** A session for a command that is run for its result: on pipes, with an input that ends. */
import { HoltError } from "../protocol/errors.ts";
import { sessionStart } from "../protocol/rows/session-start.schema.ts";
import type { StartRequest } from "../protocol/start-request.ts";
import type { Parsed } from "../protocol/table.schema.ts";
import { type EnvironmentAsked, shellFrom } from "./environment.ts";
import type { Household } from "./household.ts";
import { startRequestFrom } from "./start-request-from.ts";

/** What session.start fills in. */
export const START_DEFAULTS = sessionStart.params.omit({ argv: true }).parse({});

type Run = Omit<
  Parsed<"exec.run_background">,
  "command" | "args" | "retention_seconds" | "session_id" | "notify_on"
> & {
  argv: string[];
  retention_seconds?: number | undefined;
  session_id?: string | null;
};

export function runRequest({
  argv,
  cwd,
  env,
  env_mode,
  stdin,
  channels,
  name,
  project_id,
  retention_seconds,
  session_id = null,
  timeout_ms,
}: Run): StartRequest {
  return startRequestFrom({
    ...START_DEFAULTS,
    argv,
    env,
    env_mode,
    channels,
    name,
    project_id,
    session_id,
    timeout_ms,
    retention_seconds,
    pty: false,
    ...(stdin === true ? {} : { stdin }),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

type Line = Pick<Parsed<"exec.run">, "command" | "args"> & Omit<EnvironmentAsked, "hasTerminal">;

export function argvFrom({ command, args, ...environment }: Line, { settings }: Household): string[] {
  if ((command === undefined) === (args === undefined))
    throw new HoltError("EBADARGS", `${command === undefined ? "one" : "only one"} of command and args is needed`, {
      hint: '{"command": "npm test"} for a shell, {"args": ["npm", "test"]} without one',
    });
  return args ?? [shellFrom(environment, settings.get()["pty.default_shell"]), "-c", command ?? ""];
}
