import { CallError } from "../api/rpc.ts";

/** Why what a dialog was told to do was not done: in the dialog, as a message of the page would lie behind it. */
export function Refusal({ error }: { error: unknown }) {
  const hint = error instanceof CallError ? error.hint : null;
  return (
    <p class="refusal" role="alert">
      {error instanceof Error ? error.message : String(error)}
      {hint === null ? null : <span class="hint">{hint}</span>}
    </p>
  );
}
