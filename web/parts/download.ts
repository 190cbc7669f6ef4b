/** Saves a session's output as a file. */
import type { Result } from "../api/rpc.ts";
import { rpc } from "../state/app.ts";

export type DownloadFormat = "raw" | "text" | "asciicast";

const READ_BYTES = 4 * 1024 * 1024;

export async function download(id: string, format: DownloadFormat): Promise<void> {
  const parts = format === "raw" ? await raw(id) : await exported(id, format);
  const url = URL.createObjectURL(new Blob(parts));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.${{ raw: "bin", text: "txt", asciicast: "cast" }[format]}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function raw(id: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let cursor = "0"; ; ) {
    const read = await rpc.value?.call("session.read", { session_id: id, cursor, max_bytes: READ_BYTES });
    for (const { data } of read?.chunks ?? []) parts.push(Uint8Array.fromBase64(data));
    if (read === undefined || read.next_cursor === cursor) return parts;
    cursor = read.next_cursor;
  }
}

async function exported(id: string, format: "text" | "asciicast"): Promise<string[]> {
  const parts: string[] = [];
  for (let cursor: string | null = "0"; cursor !== null; ) {
    const made: Result<"session.export"> | undefined = await rpc.value?.call("session.export", { session_id: id, format, cursor, part: true });
    parts.push(made?.content ?? "");
    cursor = made?.next_cursor ?? null;
  }
  return parts;
}
