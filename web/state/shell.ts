/** Whether the shown session is an integrated shell. */
import { effect, signal } from "@preact/signals";
import { rpc, selected, type Session } from "./app.ts";

const shell = signal<{ id: string; isShell: boolean } | null>(null);

export function hasShellCommands({ session_id }: Session): boolean {
  return shell.value?.id === session_id && shell.value.isShell;
}

export function watchShell(): void {
  const poll = async (id: string): Promise<void> => {
    const answer = await rpc.peek()?.call("session.commands", { session_id: id, limit: 1 }).catch(() => undefined);
    if (answer !== undefined && selected.peek()?.session_id === id) shell.value = { id, isShell: answer.shell !== null };
  };
  effect(() => {
    const session = selected.value;
    if (session === null || session.transport_mode === "pipe" || session.state === "starting" || rpc.value?.status.value !== "online") return;
    if (shell.peek()?.id !== session.session_id) void poll(session.session_id);
  });
}
