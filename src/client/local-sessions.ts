/** The sessions of this machine, read from disk: no daemon, and no holder, is needed. */
import type { Session, SessionState } from "../protocol/session.ts";
import { listSessions, newestFirst, resolveSession, sessionIds } from "../transcript/catalog.ts";
import { type CommandsRead, readCommands } from "../transcript/commands-file.ts";
import { readEvents, type SessionEvent } from "../transcript/events.ts";
import { type Layout, layoutAt, prepareLayout, stateRoot } from "../transcript/layout.ts";
import { type ReadRequest, type ReadResult, TranscriptReader } from "../transcript/reader.ts";
import { type CleanupDecision, removeSession, type SweepOptions, sweep } from "../transcript/retention.ts";
import { SessionDir } from "../transcript/session-dir.ts";
import { listFromHistory } from "./history.ts";
import { isWanted, type Listing, type Wanted } from "./listing.ts";

export type { Chunk } from "../transcript/reader.ts";
export type { CleanupDecision, Layout, ReadResult, SessionEvent, SweepOptions, TranscriptReader };

/** Fewer are read from their directories as fast as from a database. */
const MANY = 200;

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
  list({ states, limit }: { states?: SessionState[]; limit?: number } = {}): Session[] {
    return this.listing(states === undefined ? {} : { states }).sessions.slice(0, limit);
  }

  /** The same, and how many there are beside. Where they are many, those that ended come from the cache. */
  listing(wanted: Wanted = {}): Listing {
    const listing = this.#areMany() ? listFromHistory(this.layout, wanted) : null;
    if (listing !== null) return { ...listing, sessions: newestFirst(listing.sessions) };
    const all = listSessions(this.layout);
    return { sessions: all.filter((session) => isWanted(session, wanted)), total: all.length };
  }

  #areMany(): boolean {
    try {
      return sessionIds(this.layout).length >= MANY;
    } catch {
      return false; // none yet
    }
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

  /** What was run in the shell that it is: the newest. */
  commands(id: string, limit: number): CommandsRead {
    using directory = SessionDir.open(this.layout, id);
    return readCommands(directory, limit);
  }

  remove(id: string): void {
    removeSession(this.layout, id);
  }

  sweep(options: SweepOptions = {}): CleanupDecision[] {
    return sweep(this.layout, options);
  }
}
