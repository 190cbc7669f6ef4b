import { useRef } from "preact/hooks";
import { start } from "../state/actions.ts";
import { closeOverlay, Dialog } from "./dialog.tsx";

export function StartForm() {
  const form = useRef<HTMLFormElement>(null);
  const submit = (): void => {
    const given = new FormData(form.current ?? undefined);
    const text = (name: string): string => {
      const value = given.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const command = text("command");
    const name = text("name");
    const cwd = text("cwd");
    closeOverlay();
    void start({
      ...(command === "" ? { command: 'exec "${SHELL:-/bin/sh}"' } : { command }),
      pty: { cols: 120, rows: 40 },
      ...(name === "" ? {} : { name }),
      ...(cwd === "" ? {} : { cwd }),
    });
  };
  return (
    <Dialog title="New session" look="centre">
      <form
        ref={form}
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
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
        <button type="submit" class="accent">
          Start
        </button>
      </form>
    </Dialog>
  );
}
