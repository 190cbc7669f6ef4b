import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { start } from "../state/actions.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";

/** Nothing in it that a shell would make something else of. */
const PLAIN_WORDS = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/;

export function StartForm() {
  const form = useRef<HTMLFormElement>(null);
  const isStarting = useSignal(false);
  const refused = useSignal<unknown>(null);
  const submit = async (): Promise<void> => {
    const given = new FormData(form.current ?? undefined);
    const text = (name: string): string => {
      const value = given.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const command = text("command");
    const name = text("name");
    const cwd = text("cwd");
    if (isStarting.value) return;
    isStarting.value = true;
    refused.value = null;
    try {
      await start({
        // Without a shell around it a shell is one that tells of its commands.
        ...(PLAIN_WORDS.test(command) ? { argv: command.split(/ +/) } : { command }),
        pty: { cols: 120, rows: 40 },
        ...(name === "" ? {} : { name }),
        ...(cwd === "" ? {} : { cwd }),
      });
      closeOverlay();
    } catch (error) {
      refused.value = error;
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
        {refused.value === null ? null : <Refusal error={refused.value} />}
        <button type="submit" class="accent" aria-busy={isStarting.value}>
          Start
        </button>
      </form>
    </Dialog>
  );
}
