/**
 * Reports missing system resources as an error of holt, before the runtime crashes without them.
 */
import { checkRuntimeNeeds } from "../../../platform/runtime-needs.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { wantsJson } from "../../declarations/arguments.ts";
import { writeErr } from "../../output/output.ts";

const HOLT_FAILED = 125;

/**
 * Exits if a resource is missing. Loads no module and awaits nothing, since both may need a thread.
 */
export function requireRuntimeNeeds(args: readonly string[]): void {
  try {
    checkRuntimeNeeds();
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    const { code, message, hint } = error;
    const text = wantsJson(args)
      ? JSON.stringify({ error: { code, message, hint } })
      : `holt: ${message}\n      ${hint ?? ""}`;
    writeErr(`${text}\n`);
    process.exit(HOLT_FAILED);
  }
}
