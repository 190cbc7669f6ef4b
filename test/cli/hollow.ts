/** A transcript of any size whose bytes are a hole in a sparse file. */
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandLine } from "./command-line.ts";

const RECORD = 64 * 1024;

export function hollow(line: CommandLine, id: string, bytes: number): void {
  line.ended(id, { final: { output_bytes: bytes } });
  const directory = join(line.layout.sessions, id);
  truncateSync(join(directory, "output.bin"), bytes);
  const record = { length: RECORD, channel: "stdout", timestamp: "2026-01-01T00:00:00.000Z" };
  const index = Array.from(
    { length: bytes / RECORD },
    (_, number) => `${JSON.stringify({ offset: number * RECORD, ...record })}\n`,
  );
  writeFileSync(join(directory, "index.jsonl"), index.join(""));
}
