/**
 * Runs the retention sweep after the start of a session, in a process of its own: reading every
 * session takes time that the command would wait for, and memory that the holder would keep.
 */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import { closeSync, openSync, touch } from "../../platform/fs/libc-fs.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { pathStat } from "../../platform/fs/stat.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { inheritedEnvironment } from "../../platform/process/raw-arguments.ts";
import type { Layout } from "../../transcript/layout.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

/**
 * Minimum time between sweeps. Reading thousands of sessions takes half a second of CPU time, and
 * programs start hundreds of background sessions in a row.
 */
export const SWEEP_EVERY_MS = { foreground: 500, background: 60_000 } as const;
const DELAY_MS = 100;

/**
 * Sweeps once, after the command has started, so that the start is not slowed down. If the command
 * ends sooner, the sweep follows its end.
 */
export class DelayedSweep {
  readonly #layout: Layout;
  readonly #everyMs: number;
  readonly #started: (pid: number) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isDone = false;

  /** `started` receives the pid of the sweep. */
  constructor(layout: Layout, everyMs: number, started: (pid: number) => void) {
    this.#layout = layout;
    this.#everyMs = everyMs;
    this.#started = started;
  }

  soon(): void {
    this.#timer = setTimeout(() => this.now(), DELAY_MS).unref();
  }

  now(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const pid = startSweep(this.#layout, this.#everyMs);
    if (pid !== null) this.#started(pid);
  }
}

/** Returns its pid; null when the last sweep is recent. */
function startSweep(layout: Layout, everyMs: number): number | null {
  if (!claimTurn(`${layout.root}/swept`, everyMs)) return null;
  let devNull: number | null = null;
  try {
    devNull = openSync("/dev/null", fileConstants.O_RDWR);
    const fds = new Map([0, 1, 2].map((fd) => [fd, devNull ?? fd]));
    const argv = [...ownCommand(), "__sweep"].map(bytesOf);
    const [path = new Uint8Array(0)] = argv;
    return spawn({
      path,
      argv,
      env: inheritedEnvironment(),
      fds,
      place: "new_session",
    });
  } catch {
    return null; // retention is optional here: the next session tries again
  } finally {
    if (devNull !== null) closeQuietly(devNull);
  }
}

/** True when the last sweep is old enough; the mtime of `stamp` is the time of the last sweep. */
function claimTurn(stamp: string, everyMs: number): boolean {
  try {
    const age = Date.now() - pathStat(stamp).mtimeMs;
    if (age >= 0 && age < everyMs) return false;
    touch(stamp);
    return true;
  } catch {
    return create(stamp);
  }
}

function create(stamp: string): boolean {
  try {
    const flags = fileConstants.O_CREAT | fileConstants.O_WRONLY | fileConstants.O_NOFOLLOW;
    closeSync(withPrivateUmask(() => openSync(stamp, flags, 0o600)));
    return true;
  } catch {
    return false;
  }
}
