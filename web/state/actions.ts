/** Actions on sessions, used all over the page. */
import type { Params } from "../api/rpc.ts";
import { fit, hidden, isSmallScreen, rpc, selectedId, type Session, titleOf } from "./app.ts";
import { refreshSession } from "./feed.ts";
import { doAfterUndoTime, notify, notifyError } from "./toast.ts";

/** Runs an action and reports its error; returns whether it succeeded. */
async function attempt(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    notifyError(error);
    return false;
  }
}

/** Rejects with the error, which the calling dialog shows. */
export async function start(params: Params<"session.start">): Promise<void> {
  const line = rpc.value;
  if (line === null) return;
  // No idle timeout: the user may leave the page and come back the next day.
  const { session_id } = await line.call("session.start", { idle_timeout_ms: null, ...params });
  await refreshSession(line, session_id);
  if (isSmallScreen()) fit(session_id, true); // no other client has a size for it yet
  selectedId.value = session_id;
}

export function stop(session: Session): Promise<boolean> {
  return attempt(async () => {
    notify(`Stopping ${titleOf(session)}…`);
    await rpc.value?.call("session.stop", { session_id: session.session_id });
  });
}

export function kill(session: Session): Promise<boolean> {
  return attempt(async () => {
    await rpc.value?.call("session.kill", { session_id: session.session_id });
  });
}

/** Rejects with the error, which the calling dialog shows. */
export async function rename(session: Session, name: string): Promise<void> {
  const line = rpc.value;
  if (line === null) return;
  await line.call("session.rename", { session_id: session.session_id, name: name === "" ? null : name });
  await refreshSession(line, session.session_id);
}

/** Hides it at once, and removes it from disk when the time to undo is over. */
export function remove(session: Session): void {
  const { session_id } = session;
  hidden.value = new Set([...hidden.value, session_id]);
  if (selectedId.value === session_id) selectedId.value = null;
  const show = (): void => {
    hidden.value = new Set([...hidden.value].filter((id) => id !== session_id));
  };
  const act = async (): Promise<void> => {
    if (!(await attempt(async () => void (await rpc.value?.call("session.remove", { session_id }))))) show();
  };
  doAfterUndoTime(`Removed ${titleOf(session)}`, { act: () => void act(), undo: show });
}

export function copy(text: string, what: string): Promise<boolean> {
  return attempt(async () => {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  });
}
