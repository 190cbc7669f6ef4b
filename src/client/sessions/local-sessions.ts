/** The sessions of this machine, read from disk without a daemon or holder. */
import { exists } from "../../platform/fs/libc-fs.ts";
import { isFinal, type Session, type SessionState } from "../../protocol/types/session.ts";
import { isSessionId } from "../../protocol/types/session-id.ts";
import { listSessions, readSession, resolveSession, sessionIds } from "../../transcript/read/catalog.ts";
import { type CommandList, readCommands } from "../../transcript/read/commands-file.ts";
import { type SessionEvent } from "../../transcript/write/events.ts";
import { readEvents } from "../../transcript/read/read-events.ts";
import { type Layout, layoutAt, prepareLayout, stateRoot } from "../../transcript/layout.ts";
import { type ReadRequest, type ReadResult, TranscriptReader } from "../../transcript/read/reader.ts";
import { type CleanupDecision, removeSession, type SweepOptions, sweep } from "../../transcript/retention/retention.ts";
import { SessionDir } from "../../transcript/session-dir.ts";
import { catchUp, type SessionCounts, countFromHistory, listFromHistory } from "./history.ts";
import { type Detail, withDetail } from "./history-rows.ts";
import { hasRecordedEnd, matchesFilter, type Listing, onPage, type SessionFilter } from "./listing.ts";

export type { Chunk } from "../../transcript/read/reader.ts";
export type { CleanupDecision, Layout, ReadResult, SessionEvent, SweepOptions, TranscriptReader };

/** Below this number, directories are read as fast as a database. */
const CACHE_THRESHOLD = 200;
const STAMP_CHECK_MS = 1000;

export class LocalSessions {
  readonly layout: Layout;
  #usesCache = false;
  #nextStampCheck = 0;
  /** Undefined before the first check, null when done. */
  #catchingUp: Promise<void> | null | undefined;

  constructor(layout: Layout = layoutAt(stateRoot())) {
    this.layout = layout;
  }

  prepare(): void {
    prepareLayout(this.layout);
  }

  /** Newest first. */
  list({ states, limit }: { states?: SessionState[]; limit?: number } = {}): Session[] {
    return this.listing({
      ...(states === undefined ? {} : { states }),
      ...(limit === undefined ? {} : { page: { offset: 0, limit } }),
    }).sessions;
  }

  /** As list(), with counts. From CACHE_THRESHOLD sessions on, ended ones come from the cache. */
  listing(filter: SessionFilter = {}): Listing {
    return this.#listing(filter, "whole");
  }

  /** With commands of bounded length. */
  briefListing(filter: SessionFilter): Listing {
    return this.#listing(filter, "brief");
  }

  /**
   * For servers: await it before the first list, unless null. It caches thousands of sessions in
   * batches, without blocking the event loop.
   */
  catchUp(): Promise<void> | null {
    if (this.#catchingUp === undefined && this.#shouldUseCache())
      this.#catchingUp =
        catchUp(this.layout)?.then(() => {
          this.#catchingUp = null;
        }) ?? null;
    return this.#catchingUp ?? null;
  }

  /** The sessions without a recorded end, and the number of those with one. */
  counts(): SessionCounts {
    const counted = this.#shouldUseCache() ? countFromHistory(this.layout, this.#historyCheck()) : null;
    if (counted !== null) return counted;
    const all = listSessions(this.layout);
    const open = all.filter((session) => !hasRecordedEnd(session));
    return { open, ended: all.length - open.length };
  }

  living(): Session[] {
    return this.counts().open.filter(({ state }) => !isFinal(state));
  }

  #listing(filter: SessionFilter, detail: Detail): Listing {
    const query = { filter, detail, check: this.#historyCheck() };
    const listing = this.#shouldUseCache() ? listFromHistory(this.layout, query) : null;
    if (listing !== null) return listing;
    const all = listSessions(this.layout);
    const found = all.filter((session) => matchesFilter(session, filter));
    const sessions = onPage(found, filter).map((session) => withDetail(session, detail));
    return { sessions, matching: found.length, total: all.length };
  }

  /** Once over the threshold, the cache stays in use. */
  #shouldUseCache(): boolean {
    try {
      this.#usesCache ||= sessionIds(this.layout).length >= CACHE_THRESHOLD;
      return this.#usesCache;
    } catch {
      return false; // no session yet
    }
  }

  /**
   * Checking the stamps of thousands of directories is slow, so frequent callers do it once a
   * second.
   */
  #historyCheck(): "names" | "stamps" {
    const now = performance.now();
    if (now < this.#nextStampCheck) return "names";
    this.#nextStampCheck = now + STAMP_CHECK_MS;
    return "stamps";
  }

  /** All ids, without opening a session. */
  ids(): string[] {
    return sessionIds(this.layout);
  }

  /** Null if there is none, or its records cannot be read yet. */
  find(id: string): Session | null {
    return readSession(this.layout, id);
  }

  /** By exact id. */
  exists(id: string): boolean {
    return isSessionId(id) && exists(`${this.layout.sessions}/${id}`);
  }

  /** `found` is called with each survivor during the search for them. */
  get(id: string, found: (pid: number) => void = () => {}): Session {
    using reader = this.reader(id);
    return reader.session({ survivors: true, found });
  }

  /** By id, name or unique id prefix. */
  resolve(reference: string): Session {
    return resolveSession(this.layout, reference);
  }

  /** As resolve(), for many references: lists the sessions at most once. */
  resolver(): (reference: string) => Session {
    let all: Session[] | null = null;
    return (reference) => resolveSession(this.layout, reference, () => (all ??= listSessions(this.layout)));
  }

  /** The caller closes it. */
  reader(id: string): TranscriptReader {
    return TranscriptReader.open(this.layout, id);
  }

  /** Fails, as get() does, if the session's records cannot be read. */
  read(id: string, request: ReadRequest): ReadResult {
    using reader = this.reader(id);
    reader.session();
    return reader.read(request);
  }

  events(id: string): SessionEvent[] {
    using directory = SessionDir.open(this.layout, id);
    return readEvents(directory);
  }

  /** The newest commands run in the session's shell. */
  commands(id: string, limit: number): CommandList {
    using directory = SessionDir.open(this.layout, id);
    return readCommands(directory, limit);
  }

  remove(id: string): void {
    this.#nextStampCheck = 0; // another session may take its id
    removeSession(this.layout, id);
  }

  sweep(options: SweepOptions = {}): CleanupDecision[] {
    return sweep(this.layout, options);
  }
}
