/** The commands of an integrated shell, each with its outcome, duration and output. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Result } from "../api/rpc.ts";
import { copy } from "../state/actions.ts";
import { commandCursors } from "../session/travel.ts";
import { isLive, moment, rpc, type Session } from "../state/app.ts";
import { notifyError } from "../state/toast.ts";
import { closeOnPhone, Dialog } from "./dialog.tsx";

type Command = Result<"session.commands">["commands"][number];

export function Commands({ session }: { session: Session }) {
  const found = useSignal<Result<"session.commands"> | null>(null);
  const count = commandCursors().length;
  useEffect(() => {
    rpc.value?.call("session.commands", { session_id: session.session_id, limit: 200 }).then((answer) => {
      found.value = answer;
    }, notifyError);
  }, [count]);
  return (
    <Dialog title="Commands" look="side">
      {found.value === null ? <p class="note">Loading…</p> : null}
      {found.value?.shell === null ? <p class="note">This session is not an integrated shell. bash, zsh and fish are, when holt starts them.</p> : null}
      {found.value?.shell != null && found.value.commands.length === 0 ? <p class="note">No commands yet.</p> : null}
      {found.value?.commands.toReversed().map((command) => (
        <Block key={command.number} session={session} command={command} />
      ))}
    </Dialog>
  );
}

/** A command whose end was not seen ended with its shell at the latest. */
function endOf({ exit_code, ended_at }: Command, session: Session): string {
  if (exit_code !== null) return exit_code === 0 ? "✓ 0" : `✗ ${exit_code}`;
  if (ended_at !== null) return "■ ended";
  return isLive(session) ? "● runs" : "■ ended with its shell";
}

function Block({ session, command }: { session: Session; command: Command }) {
  const text = useSignal<string | null>(null);
  const { exit_code, duration_ms, output_start, output_end } = command;
  const look = exit_code === null ? "dim" : exit_code === 0 ? "good" : "bad";
  const read = async (): Promise<string> => {
    const until = output_end === null ? {} : { until: output_end };
    const answer = await rpc.value?.call("session.read", { session_id: session.session_id, cursor: output_start, ...until, view: "text", max_bytes: 256 * 1024 });
    return answer?.text ?? "";
  };
  return (
    <details
      class="block"
      onToggle={(event) => {
        if (event.currentTarget.open && text.value === null)
          read().then((answer) => {
            text.value = answer;
          }, notifyError);
      }}
    >
      <summary>
        <code>{command.command ?? "(hidden by the shell)"}</code>
        <span class={`state ${look}`}>{endOf(command, session)}</span>
        <span class="age">{duration_ms === null ? "" : `${(duration_ms / 1000).toFixed(duration_ms < 10_000 ? 2 : 0)} s`}</span>
      </summary>
      <pre>{text.value ?? "…"}</pre>
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => void read().then((answer) => copy(answer, "Output"), notifyError)}>
          Copy output
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            moment.value = { id: session.session_id, cursor: Number(output_end ?? output_start) };
            closeOnPhone();
          }}
        >
          Show the screen then
        </button>
      </div>
    </details>
  );
}
