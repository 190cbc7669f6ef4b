/** `--restart`, `--max-restarts` and `--restart-delay`. */
import { parseDuration } from "../protocol/duration.ts";
import { HoltError } from "../protocol/errors.ts";
import { DEFAULT_DELAY_MS, DEFAULT_MAX_RESTARTS, type RestartPolicy } from "../protocol/restart.ts";

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

/** Here alone 0s means something: at once. */
function delayOf(text: string | null): number {
  if (text === null) return DEFAULT_DELAY_MS;
  const ms = parseDuration(text);
  if (ms !== null && ms < 2 ** 31) return ms;
  throw new HoltError("EBADARGS", `invalid --restart-delay "${text}"`, { hint: "use a duration, e.g. 0s, 500ms, 30s" });
}
