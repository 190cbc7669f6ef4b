/**
 * How many sessions there are, and whether the executable is still ours, for whoever asks all the time. To count them is to read every record and to ask every holder; what was counted stays true while neither
 * `sessions/` nor the directory of a session that lives has changed, and to see that takes one look at each.
 *
 * What this daemon does itself is seen by the next call; what others do, a few milliseconds later. A holder that was killed changes no directory: while there are
 * any, they are asked again after a moment.
 */
import type { LocalSessions } from "../client/local-sessions.ts";
import { type Reached, reachable } from "../client/reachable.ts";
import { type DirectoryStamp, directoryStamp } from "../platform/directory-stamp.ts";
import { type ExecutableState, executableState } from "../platform/own-executable.ts";
import { isFinal, type Session } from "../protocol/session.ts";

const LOOK_MS = 5;
const LIVING_MS = 100;
const ALL_MS = 1000;
/** Who has not answered is asked again so often, and nobody waits for that. */
const SILENT_MS = 5000;

export interface Counted {
  /** Of each count another object, which stays as it is (health.ts). */
  sessions: { starting: number; running: number; ended: number; lost: number };
  /** That answer at their sockets. */
  holders: number;
  executable: ExecutableState;
}

interface Known {
  counted: Counted;
  /** Of each directory that it depends on. */
  stamps: readonly Stamp[];
  /** When to look whether it still holds, and when to count anew in any case. */
  lookAt: number;
  until: number;
}

interface Stamp {
  path: string;
  stamp: DirectoryStamp | null;
}

export class Census {
  readonly #sessions: LocalSessions;
  #known: Known | null = null;
  /** Holders that were asked and said nothing: when to ask again. */
  readonly #silent = new Map<string, number>();
  /** The one under way, for whoever asks while it is young. */
  #counting: { until: number; counted: Promise<Counted> } | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  /** Something was done here that may have changed it. */
  forget(): void {
    this.#known = null;
    this.#counting = null;
  }

  /** At once where no holder must be asked. */
  count(now: number): Counted | Promise<Counted> {
    if (this.#known !== null && holds(this.#known, now)) return this.#known.counted;
    if (this.#counting !== null && now < this.#counting.until) return this.#counting.counted;
    const late = this.#sessions.catchUp();
    if (late !== null) return late.then(() => this.count(performance.now()));
    const { sessions: directory } = this.#sessions.layout;
    const stamp = stampOf(directory);
    const { open, ended } = this.#sessions.counted();
    const living = open.filter(({ state }) => !isFinal(state));
    const stamps = [stamp, ...living.map(({ session_id }) => stampOf(`${directory}/${session_id}`))];
    const known = {
      counted: counted(living, { ended, lost: open.length - living.length }),
      stamps,
      lookAt: now + LOOK_MS,
      until: goodUntil(stamps, living, now),
    };
    if (living.length > 0) return this.#ask(living, known);
    this.#known = known;
    return known.counted;
  }

  #ask(living: readonly Session[], known: Known): Promise<Counted> {
    const { others = [], silent = [] } = Object.groupBy(living, ({ session_id }) =>
      this.#silent.has(session_id) ? "silent" : "others",
    );
    this.#askAgain(silent);
    const asked = reachable(others).then((reached) => {
      this.#heardOf(others, reached);
      known.counted.holders = reached.holders.length;
      if (this.#counting?.counted === asked) this.#known = known;
      return known.counted;
    });
    this.#counting = { until: known.lookAt, counted: asked };
    return asked;
  }

  #askAgain(silent: readonly Session[]): void {
    const ids = new Set(silent.map(({ session_id }) => session_id));
    for (const id of this.#silent.keys()) if (!ids.has(id)) this.#silent.delete(id);
    const now = performance.now();
    const due = silent.filter(({ session_id }) => (this.#silent.get(session_id) ?? 0) <= now);
    for (const { session_id } of due) this.#silent.set(session_id, now + SILENT_MS);
    if (due.length > 0) void reachable(due).then((reached) => this.#heardOf(due, reached));
  }

  #heardOf(asked: readonly Session[], { silent }: Reached): void {
    for (const { session_id } of asked) this.#silent.delete(session_id);
    for (const { session_id } of silent) this.#silent.set(session_id, performance.now() + SILENT_MS);
  }
}

function counted(living: readonly Session[], past: { ended: number; lost: number }): Counted {
  const count = (state: string): number => living.filter((session) => session.state === state).length;
  return {
    sessions: { starting: count("starting"), running: count("running"), ...past },
    holders: 0,
    executable: executableState(),
  };
}

function goodUntil(stamps: readonly Stamp[], living: readonly Session[], now: number): number {
  if (!stamps.every(({ stamp }) => stamp?.isSettled)) return now + LOOK_MS;
  return now + (living.length > 0 ? LIVING_MS : ALL_MS);
}

function holds(known: Known, now: number): boolean {
  if (now < known.lookAt) return true;
  if (now >= known.until || !known.stamps.every(isStill)) return false;
  known.lookAt = now + LOOK_MS;
  known.counted.executable = executableState();
  return true;
}

function stampOf(path: string): Stamp {
  return { path, stamp: directoryStamp(path) };
}

function isStill({ path, stamp }: Stamp): boolean {
  return directoryStamp(path)?.text === stamp?.text;
}
