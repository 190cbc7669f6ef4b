/** The dialog that renames a session. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { rename } from "../state/actions.ts";
import type { Session } from "../state/app.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";
import { DialogError } from "./dialog-error.tsx";

export function RenameForm({ session }: { session: Session }) {
  const input = useRef<HTMLInputElement>(null);
  const failure = useSignal<unknown>(null);
  return (
    <Dialog title="Rename" look="centre">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          failure.value = null;
          rename(session, input.current?.value.trim() ?? "").then(closeOverlay, (error: unknown) => {
            failure.value = error;
          });
        }}
      >
        <label>
          Name
          <input ref={input} defaultValue={session.name ?? ""} autoComplete="off" autofocus />
        </label>
        {failure.value === null ? null : <DialogError error={failure.value} />}
        <button type="submit" class="accent">
          Rename
        </button>
      </form>
    </Dialog>
  );
}
