/** The last line of each session that has ended, of those that somebody has seen in the list: asked for once, as it stays what it is. */
import { signal } from "@preact/signals";
import { rpc } from "./app.ts";

export const lastLines = signal<ReadonlyMap<string, string>>(new Map());

/** The very last ones may show nothing. */
const LOOKED_AT = { tail: 5, max_bytes: 2048 };
const asked = new Set<string>();

export async function lookForLastLine(id: string): Promise<void> {
  if (asked.has(id)) return;
  asked.add(id);
  try {
    const read = await rpc.peek()?.call("session.read", { session_id: id, view: "text", collapse: false, ...LOOKED_AT });
    const line = (read?.text ?? "").split("\n").findLast((each) => each.trim() !== "");
    lastLines.value = new Map(lastLines.value).set(id, line?.trim() ?? "");
  } catch {
    asked.delete(id); // whoever sees it next asks again
  }
}
