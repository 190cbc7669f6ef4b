/** The last line of ended sessions seen in the list. Each is read once, as it does not change. */
import { signal } from "@preact/signals";
import { rpc } from "./app.ts";

export const lastLines = signal<ReadonlyMap<string, string>>(new Map());

/** The very last lines may be blank. */
const TAIL = { tail: 5, max_bytes: 2048 };
const requested = new Set<string>();

export async function loadLastLine(id: string): Promise<void> {
  if (requested.has(id)) return;
  requested.add(id);
  try {
    const read = await rpc.peek()?.call("session.read", { session_id: id, view: "text", collapse: false, ...TAIL });
    const line = (read?.text ?? "").split("\n").findLast((each) => each.trim() !== "");
    lastLines.value = new Map(lastLines.value).set(id, line?.trim() ?? "");
  } catch {
    requested.delete(id); // the next view tries again
  }
}
