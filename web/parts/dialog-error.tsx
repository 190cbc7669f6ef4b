/** The error of a dialog's action, shown inside the dialog: a toast would lie behind it. */
import { CallError } from "../api/rpc.ts";

export function DialogError({ error }: { error: unknown }) {
  const hint = error instanceof CallError ? error.hint : null;
  return (
    <p class="refusal" role="alert">
      {error instanceof Error ? error.message : String(error)}
      {hint === null ? null : <span class="hint">{hint}</span>}
    </p>
  );
}
