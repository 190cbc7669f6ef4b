/** All that a session needs of the disk, open and under its lock: whatever a disk can refuse was asked for before there is a command. */
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
  /** For the one rewrite of `meta.json`, where it is there already. */
  nextMeta: Draft | null;
  /** The session is found from here on. EEXISTS when its id is somebody else's. */
  announce(meta: Meta): void;
}

/** In a directory that is claimed. */
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
