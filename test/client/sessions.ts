/** Real sessions on disk, made without running anything. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, Final, Meta } from "../../src/protocol/types/session.ts";
import { type Layout, layoutAt, prepareLayout } from "../../src/transcript/layout.ts";
import { FinalRecord, writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { finalOf as recordedFinal, metaOf as recordedMeta } from "../support/records.ts";

export class StateDir implements Disposable {
  readonly layout: Layout = layoutAt(mkdtempSync(join(tmpdir(), "h-")));

  constructor() {
    prepareLayout(this.layout);
  }

  [Symbol.dispose](): void {
    rmSync(this.layout.root, { recursive: true, force: true });
  }
}

/** The identity of this process. */
export function metaOf(id: string, fields: Partial<Meta> = {}): Meta {
  const self = { pid: process.pid, start_time: null, boot_id: null };
  const now = new Date().toISOString();
  return recordedMeta(id, {
    argv: ["printf", "%s", "hello world"],
    env_keys: ["PATH", "TERM"],
    transport_mode: "pipe",
    size: null,
    retention_seconds: 86_400,
    created_at: now,
    started_at: now,
    process: self,
    holder: self,
    ...fields,
  });
}

const USAGE = { cpu_ms: 3, cpu_user_ms: 2, cpu_system_ms: 1, max_rss_kb: 4096 };

export function finalOf(id: string, fields: Partial<Final> = {}): Final {
  const now = new Date().toISOString();
  return recordedFinal(id, { started_at: now, ended_at: now, duration_ms: 12, usage: USAGE, ...fields });
}

export interface Ended {
  output?: readonly (string | Uint8Array | { channel: Channel; bytes: string | Uint8Array })[];
  meta?: Partial<Meta>;
  final?: Partial<Final>;
  maxBytes?: number;
}

/** A session that ran, printed `output` and ended. */
export function endedSession(
  { layout }: StateDir,
  id: string,
  { output = [], meta, final, maxBytes }: Ended = {},
): void {
  using dir = SessionDir.create(layout, id);
  dir.lock();
  writeMeta(dir, metaOf(id, meta));
  using record = FinalRecord.reserve(dir);
  using writer = TranscriptWriter.create(dir, { maxBytes: maxBytes ?? 1024 ** 3 });
  for (const part of output) {
    const { channel, bytes } =
      typeof part === "string" || part instanceof Uint8Array ? { channel: "stdout" as const, bytes: part } : part;
    writer.append(channel, Buffer.from(bytes), Date.now());
  }
  writer.flushIndex();
  record.write(finalOf(id, { output_bytes: writer.produced, truncated: writer.truncated, ...final }));
}
