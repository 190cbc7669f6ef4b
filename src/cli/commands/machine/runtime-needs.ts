/** Whether the runtime has what it cannot go on without; otherwise it says so, in place of the runtime's crash report. */
import { checkRuntimeNeeds } from "../../../platform/runtime-needs.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { asksForJson } from "../../declarations/arguments.ts";
import { writeErr } from "../../output/output.ts";

const HOLT_FAILED = 125;

/** Ends this process where something is missing. Nothing is loaded and nothing is awaited for it: both may take a thread. */
export function requireRuntimeNeeds(args: readonly string[]): void {
  try {
    checkRuntimeNeeds();
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    const { code, message, hint } = error;
    const text = asksForJson(args)
      ? JSON.stringify({ error: { code, message, hint } })
      : `holt: ${message}\n      ${hint ?? ""}`;
    writeErr(`${text}\n`);
    process.exit(HOLT_FAILED);
  }
}
