/** The sessions of this machine, read from disk: no daemon, and no holder, is needed. */
import type { Session, SessionState } from "../protocol/session.ts";
import { listSessions, resolveSession } from "../transcript/catalog.ts";
import { readEvents, type SessionEvent } from "../transcript/events.ts";
import { type Layout, layoutAt, prepareLayout, stateRoot } from "../transcript/layout.ts";
import { type ReadRequest, type ReadResult, TranscriptReader } from "../transcript/reader.ts";
import { type CleanupDecision, removeSession, type SweepOptions, sweep } from "../transcript/retention.ts";
import { SessionDir } from "../transcript/session-dir.ts";

export type { Chunk } from "../transcript/reader.ts";
export type { CleanupDecision, Layout, ReadResult, SessionEvent, SweepOptions, TranscriptReader };

export class LocalSessions {
  readonly layout: Layout;

  constructor(layout: Layout = layoutAt(stateRoot())) {
    this.layout = layout;
  }

  /** Makes the directories that a first session needs. */
  prepare(): void {
    prepareLayout(this.layout);
  }

  /** Newest first. */
  list(filter: { states?: SessionState[]; limit?: number } = {}): Session[] {
    return listSessions(this.layout, filter);
  }

  /** By its exact id. */
  get(id: string): Session {
    using reader = this.reader(id);
    return reader.session({ survivors: true });
  }

  /** By id, name or unique id prefix: for people. */
  resolve(reference: string): Session {
    return resolveSession(this.layout, reference);
  }

  /** The caller closes it. */
  reader(id: string): TranscriptReader {
    return TranscriptReader.open(this.layout, id);
  }

  /** A directory whose records cannot be read is no session, here as in get(). */
  read(id: string, request: ReadRequest): ReadResult {
    using reader = this.reader(id);
    reader.session();
    return reader.read(request);
  }

  events(id: string): SessionEvent[] {
    using directory = SessionDir.open(this.layout, id);
    return readEvents(directory);
  }

  remove(id: string): void {
    removeSession(this.layout, id);
  }

  sweep(options: SweepOptions = {}): CleanupDecision[] {
    return sweep(this.layout, options);
  }
}
