/** `--restart`, `--max-restarts` and `--restart-delay`. */
import { LONGEST_WAIT_MS } from "../protocol/duration.ts";
import { HoltError } from "../protocol/errors.ts";
import { DEFAULT_DELAY_MS, DEFAULT_MAX_RESTARTS, type RestartPolicy } from "../protocol/restart.ts";
import { durationOf } from "./durations.ts";

interface Options {
  restart: string | null;
  "max-restarts": number | null;
  "restart-delay": string | null;
}

/** Null: never. */
export function restartPolicy(options: Options): RestartPolicy | null {
  const when = options.restart === "on-failure" ? "on_failure" : options.restart === "always" ? "always" : null;
  if (when !== null) {
    return {
      when,
      max_restarts: options["max-restarts"] ?? DEFAULT_MAX_RESTARTS[when],
      delay_ms: delayOf(options["restart-delay"]),
    };
  }
  for (const name of ["max-restarts", "restart-delay"] as const) {
    if (options[name] === null) continue;
    throw new HoltError("EBADARGS", `--${name} needs --restart`, { hint: "say when: on-failure or always" });
  }
  return null;
}

/** Here 0s means something: at once. */
function delayOf(text: string | null): number {
  return durationOf("restart-delay", text, { leastMs: 0, mostMs: LONGEST_WAIT_MS }) ?? DEFAULT_DELAY_MS;
}
