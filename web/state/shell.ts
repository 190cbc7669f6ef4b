/** Whether the session that is shown is a shell that tells of its commands: an editor has none to show. */
import { effect, signal } from "@preact/signals";
import { rpc, selected, type Session } from "./app.ts";

const shell = signal<{ id: string; isShell: boolean } | null>(null);

export function tellsCommands({ session_id }: Session): boolean {
  return shell.value?.id === session_id && shell.value.isShell;
}

export function followShell(): void {
  const look = async (id: string): Promise<void> => {
    const answer = await rpc.peek()?.call("session.commands", { session_id: id, limit: 1 }).catch(() => undefined);
    if (answer !== undefined && selected.peek()?.session_id === id) shell.value = { id, isShell: answer.shell !== null };
  };
  effect(() => {
    const session = selected.value;
    if (session === null || session.transport_mode === "pipe" || session.state === "starting" || rpc.value?.line.value !== "online") return;
    if (shell.peek()?.id !== session.session_id) void look(session.session_id);
  });
}
