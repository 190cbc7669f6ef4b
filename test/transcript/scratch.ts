/** A state directory of a test's own, with sessions in whatever condition the test wants to find them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_MAX_OUTPUT_BYTES, type Final, type Meta } from "../../src/protocol/types/session.ts";
import { type Layout, layoutAt, prepareLayout } from "../../src/transcript/layout.ts";
import { type Chunk, type ReadRequest, TranscriptReader } from "../../src/transcript/read/reader.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { TranscriptWriter, type WriterOptions } from "../../src/transcript/write/writer.ts";
import { finalOf, metaOf } from "../support/records.ts";

export { finalOf, metaOf };

export class Scratch implements Disposable {
  readonly root: string;
  readonly layout: Layout;

  constructor(parent = tmpdir()) {
    this.root = mkdtempSync(join(parent, "h-"));
    this.layout = layoutAt(join(this.root, "state"));
    prepareLayout(this.layout);
  }

  path(id: string, ...rest: string[]): string {
    return join(this.layout.sessions, id, ...rest);
  }

  /** A session that this process holds. */
  hold(id: string, options: Partial<WriterOptions> = {}): Held {
    return new Held(this.layout, id, options);
  }

  /** A session that ended, with output of one channel. */
  end(id: string, { output = "", meta = {}, final = {} }: Past = {}): void {
    using held = this.hold(id);
    writeMeta(held.dir, metaOf(id, meta));
    held.writer.append("pty", Buffer.from(output), Date.now());
    held.writer.flushIndex();
    held.dir.writeAtomic("final.json", JSON.stringify(finalOf(id, { output_bytes: held.writer.produced, ...final })), {
      sync: false,
    });
  }

  /** What a holder that was killed leaves. */
  lose(id: string, { output = "", meta = {} }: Past = {}): void {
    using held = this.hold(id);
    writeMeta(held.dir, metaOf(id, meta));
    held.writer.append("pty", Buffer.from(output), Date.now());
  }

  /** One read by a reader that is opened for it. */
  read(id: string, request: Partial<ReadRequest> = {}) {
    using reader = TranscriptReader.open(this.layout, id);
    return reader.read({ cursor: 0, maxBytes: 65_536, ...request });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

interface Past {
  output?: string;
  meta?: Partial<Meta>;
  final?: Partial<Final>;
}

export class Held implements Disposable {
  readonly dir: SessionDir;
  readonly writer: TranscriptWriter;

  constructor(layout: Layout, id: string, options: Partial<WriterOptions>) {
    this.dir = SessionDir.create(layout, id);
    this.dir.lock();
    this.writer = TranscriptWriter.create(this.dir, { maxBytes: DEFAULT_MAX_OUTPUT_BYTES, ...options });
  }

  [Symbol.dispose](): void {
    this.writer[Symbol.dispose]();
    this.dir[Symbol.dispose]();
  }
}

/** A file in place of an artifact, whatever was there. */
export function plant(scratch: Scratch, id: string, name: string, content: string): void {
  writeFileSync(scratch.path(id, name), content);
}

export function bytesOf(chunks: Chunk[]): Buffer {
  return Buffer.concat(chunks.map(({ bytes }) => bytes));
}

/** Bytes that are known by their cursor alone, so that any part of a transcript can be checked by itself. */
export function patternAt(cursor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = ((cursor + index) * 2_654_435_761) >>> 13;
  return bytes;
}

/** The code of the HoltError (or the errno of the system error) that is thrown, else "nothing". */
export function codeOf(attempt: () => unknown): string {
  try {
    attempt();
    return "nothing";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
