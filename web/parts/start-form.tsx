/** The dialog that starts a session. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { start } from "../state/actions.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";
import { DialogError } from "./dialog-error.tsx";

/** Words that need no shell to parse. */
const PLAIN_WORDS = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/;

export function StartForm() {
  const form = useRef<HTMLFormElement>(null);
  const isStarting = useSignal(false);
  const failure = useSignal<unknown>(null);
  const submit = async (): Promise<void> => {
    const data = new FormData(form.current ?? undefined);
    const text = (name: string): string => {
      const value = data.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const command = text("command");
    const name = text("name");
    const cwd = text("cwd");
    if (isStarting.value) return;
    isStarting.value = true;
    failure.value = null;
    try {
      await start({
        // Started directly, a shell gets integration; inside of `sh -c` it would not.
        ...(PLAIN_WORDS.test(command) ? { argv: command.split(/ +/) } : { command }),
        pty: { cols: 120, rows: 40 },
        ...(name === "" ? {} : { name }),
        ...(cwd === "" ? {} : { cwd }),
      });
      closeOverlay();
    } catch (error) {
      failure.value = error;
    } finally {
      isStarting.value = false;
    }
  };
  return (
    <Dialog title="New session" look="centre">
      <form
        ref={form}
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          Command
          <input name="command" class="mono" placeholder="your shell" autoComplete="off" spellcheck={false} autofocus />
        </label>
        <label>
          Name
          <input name="name" placeholder="none" autoComplete="off" />
        </label>
        <label>
          Directory
          <input name="cwd" class="mono" placeholder="home" autoComplete="off" spellcheck={false} />
        </label>
        {failure.value === null ? null : <DialogError error={failure.value} />}
        <button type="submit" class="accent" aria-busy={isStarting.value}>
          Start
        </button>
      </form>
    </Dialog>
  );
}
