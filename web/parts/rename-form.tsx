import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { rename } from "../state/actions.ts";
import type { Session } from "../state/app.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";

export function RenameForm({ session }: { session: Session }) {
  const input = useRef<HTMLInputElement>(null);
  const refused = useSignal<unknown>(null);
  return (
    <Dialog title="Rename" look="centre">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          refused.value = null;
          rename(session, input.current?.value.trim() ?? "").then(closeOverlay, (error: unknown) => {
            refused.value = error;
          });
        }}
      >
        <label>
          Name
          <input ref={input} defaultValue={session.name ?? ""} autoComplete="off" autofocus />
        </label>
        {refused.value === null ? null : <Refusal error={refused.value} />}
        <button type="submit" class="accent">
          Rename
        </button>
      </form>
    </Dialog>
  );
}
