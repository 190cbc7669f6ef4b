/** The dialog that makes a link to share a session. */
import { useSignal } from "@preact/signals";
import { copy } from "../state/actions.ts";
import { rpc, type Session, titleOf } from "../state/app.ts";
import { Dialog } from "./dialog.tsx";
import { DialogError } from "./dialog-error.tsx";

const HOUR = 3600;

export function ShareForm({ session }: { session: Session }) {
  const role = useSignal<"viewer" | "driver">("viewer");
  const seconds = useSignal(HOUR);
  const link = useSignal<string | null>(null);
  const failure = useSignal<unknown>(null);
  const make = async (): Promise<void> => {
    failure.value = null;
    try {
      const made = await rpc.value?.call("web.ticket", {
        session_id: session.session_id,
        role: role.value,
        expires_in_seconds: seconds.value,
        grants_seconds: Math.max(seconds.value, 24 * HOUR),
      });
      // The address as this browser sees it, which may be a proxy's.
      link.value = made === undefined ? null : `${location.origin}/#ticket=${made.ticket}`;
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <Dialog title={`Share ${titleOf(session)}`} look="centre">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <fieldset>
          <legend>The person with the link</legend>
          {(["viewer", "driver"] as const).map((each) => (
            <label key={each} class="choice">
              <input type="radio" name="role" checked={role.value === each} onChange={() => (role.value = each)} />
              {each === "viewer" ? "watches" : "may type"}
            </label>
          ))}
        </fieldset>
        <label>
          Valid for
          <select value={String(seconds.value)} onChange={(event) => (seconds.value = Number(event.currentTarget.value))}>
            <option value="600">10 minutes</option>
            <option value="3600">an hour</option>
            <option value="86400">a day</option>
          </select>
        </label>
        {failure.value === null ? null : <DialogError error={failure.value} />}
        <button type="submit" class="accent">
          Make a link
        </button>
      </form>
      {link.value === null ? (
        <p class="note">A link works once: make one for each person.</p>
      ) : (
        <div class="link">
          <input readOnly value={link.value} aria-label="Link" class="mono" />
          <button type="button" class="accent" onClick={() => void copy(link.value ?? "", "Link")}>
            Copy
          </button>
        </div>
      )}
    </Dialog>
  );
}
