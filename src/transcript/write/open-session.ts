/**
 * Opens all files of a session, under its lock, before the command starts: a full disk fails the
 * start, not the session.
 */
import type { Meta } from "../../protocol/types/session.ts";
import type { Draft } from "../draft.ts";
import { EventLog } from "./events.ts";
import { FinalRecord, writeMeta } from "../records.ts";
import type { SessionDir } from "../session-dir.ts";
import { createTranscript, type TranscriptFiles } from "./writer.ts";

export interface SessionFiles {
  events: EventLog;
  final: FinalRecord;
  files: TranscriptFiles;
}

export interface OpenSession extends SessionFiles {
  dir: SessionDir;
  /** Prepared for the one rewrite of `meta.json`, if that exists already. */
  nextMeta: Draft | null;
  /** Writes `meta.json`: readers find the session from here on. EEXISTS if the id is taken. */
  announce(meta: Meta): void;
}

/** Opens the files in a claimed directory. */
export function openSession(dir: SessionDir): OpenSession {
  dir.lock();
  return { dir, nextMeta: null, announce: (meta) => writeMeta(dir, meta), ...createSessionFiles(dir) };
}

export function createSessionFiles(dir: SessionDir): SessionFiles {
  using opened = new DisposableStack();
  const events = opened.use(EventLog.open(dir));
  const final = opened.use(FinalRecord.reserve(dir));
  const files = createTranscript(dir);
  opened.move();
  return { events, final, files };
}
