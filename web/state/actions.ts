/** What a person can do with sessions, from wherever on the page. */
import type { Params } from "../api/rpc.ts";
import { fit, hidden, isSmall, rpc, selectedId, type Session, titleOf } from "./app.ts";
import { lookAt } from "./feed.ts";
import { soon, tell, tellError } from "./toast.ts";

/** Whether it was done. */
async function trying(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

/** Rejects with what the dialog that asked for it says. */
export async function start(params: Params<"session.start">): Promise<void> {
  const line = rpc.value;
  if (line === null) return;
  // A person may leave the page and come back the next day.
  const { session_id } = await line.call("session.start", { idle_timeout_ms: null, ...params });
  await lookAt(line, session_id);
  if (isSmall()) fit(session_id, true); // nobody else has a size for it yet
  selectedId.value = session_id;
}

export function stop(session: Session): Promise<boolean> {
  return trying(async () => {
    tell(`Stopping ${titleOf(session)}…`);
    await rpc.value?.call("session.stop", { session_id: session.session_id });
  });
}

export function kill(session: Session): Promise<boolean> {
  return trying(async () => {
    await rpc.value?.call("session.kill", { session_id: session.session_id });
  });
}

/** Rejects with what the dialog that asked for it says. */
export async function rename(session: Session, name: string): Promise<void> {
  const line = rpc.value;
  if (line === null) return;
  await line.call("session.rename", { session_id: session.session_id, name: name === "" ? null : name });
  await lookAt(line, session.session_id);
}

/** Gone from the list at once, and from the disk when nobody has taken it back. */
export function remove(session: Session): void {
  const { session_id } = session;
  hidden.value = new Set([...hidden.value, session_id]);
  if (selectedId.value === session_id) selectedId.value = null;
  const show = (): void => {
    hidden.value = new Set([...hidden.value].filter((id) => id !== session_id));
  };
  const act = async (): Promise<void> => {
    if (!(await trying(async () => void (await rpc.value?.call("session.remove", { session_id }))))) show();
  };
  soon(`Removed ${titleOf(session)}`, { act: () => void act(), undo: show });
}

export function copy(text: string, what: string): Promise<boolean> {
  return trying(async () => {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
  });
}
