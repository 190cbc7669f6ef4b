/** The dialog that stops or kills a session. */
import { kill, stop } from "../state/actions.ts";
import { type Session, titleOf } from "../state/app.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";

export function StopForm({ session }: { session: Session }) {
  return (
    <Dialog title={`Stop ${titleOf(session)}?`} look="centre">
      <p>All its processes are ended. Its output is kept.</p>
      <div class="buttons">
        <button
          type="button"
          class="accent"
          autofocus
          onClick={() => {
            closeOverlay();
            void stop(session);
          }}
        >
          Stop
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            closeOverlay();
            void kill(session);
          }}
        >
          Kill at once
        </button>
        <button type="button" class="quiet" onClick={closeOverlay}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}
