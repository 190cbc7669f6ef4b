import { useRef } from "preact/hooks";
import { rename } from "../state/actions.ts";
import type { Session } from "../state/app.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";

export function RenameForm({ session }: { session: Session }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="Rename" look="centre">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void rename(session, input.current?.value.trim() ?? "");
          closeOverlay();
        }}
      >
        <label>
          Name
          <input ref={input} defaultValue={session.name ?? ""} autoComplete="off" autofocus />
        </label>
        <button type="submit" class="accent">
          Rename
        </button>
      </form>
    </Dialog>
  );
}
