/**
 * The current settings, reloaded when a configuration file changes.
 *
 * Each acting call checks the files' stamps, once for all calls of one turn, so a changed policy
 * applies without a restart. While a file is invalid nothing is started: the old policy would be a
 * guess.
 */
import { FORMATS } from "../config/config-file.ts";
import { defaults, type Settings } from "../config/keys.ts";
import { loadSettings } from "../config/settings.ts";
import { configDirectory, type Environment } from "../config/where.ts";
import { isSettled } from "../platform/fs/directory-stamp.ts";
import { entryStat, existenceCheck, pathStat } from "../platform/fs/stat.ts";
import { HoltError } from "../protocol/types/errors.ts";

export class CurrentSettings {
  readonly #env: Environment;
  readonly #directory: string | null;
  readonly #mayExist: () => boolean;
  readonly #files: readonly string[];
  #stamp: string | null = null;
  #isFresh = false;
  #settings: Settings = defaults();
  #error: unknown = null;

  constructor(env: Environment = process.env) {
    this.#env = { ...env };
    this.#directory = configDirectory(env);
    const directory = this.#directory;
    this.#mayExist = directory === null ? () => false : existenceCheck(directory);
    this.#files = directory === null ? [] : FORMATS.map((format) => `${directory}/config.${format}`);
    this.#refresh();
  }

  /** Throws if a file is invalid. */
  get(): Settings {
    this.#refresh();
    if (this.#error !== null) throw unusable(this.#error);
    return this.#settings;
  }

  /** The last valid settings, without a file check: for frequent reads and for what must go on. */
  get lastValid(): Settings {
    return this.#settings;
  }

  /** One check for everything done in one turn. */
  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    queueMicrotask(() => {
      this.#isFresh = false;
    });
    const stamp = this.#currentStamp();
    if (stamp.text === this.#stamp) return;
    // Two writes within one clock tick leave the same time: the file is read again until the tick
    // is over.
    this.#stamp = stamp.isSettled ? stamp.text : null;
    try {
      this.#settings = loadSettings(this.#env).settings;
      this.#error = null;
    } catch (error) {
      this.#error = error;
    }
  }

  /** Fast path: most users have no configuration directory. */
  #currentStamp(): Stamp {
    const hadNone = this.#stamp === null || this.#stamp === NO_DIRECTORY.text;
    if (this.#directory === null || (hadNone && !this.#mayExist())) return NO_DIRECTORY;
    const now = Date.now();
    const stamps = this.#files.map((file) => stampOf(file, now));
    // Without a file the directory's stamp counts: it reveals a dangling symlink.
    if (stamps.every(({ text }) => text === NO_FILE.text)) stamps.push(stampOf(this.#directory, now));
    return { text: stamps.map(({ text }) => text).join(" "), isSettled: stamps.every((each) => each.isSettled) };
  }
}

interface Stamp {
  text: string;
  isSettled: boolean;
}

const NO_DIRECTORY: Stamp = { text: "", isSettled: true };
const NO_FILE: Stamp = { text: "-", isSettled: true };

/** Follows symlinks. */
function stampOf(path: string, now: number): Stamp {
  try {
    if (entryStat(path) === null) return NO_FILE;
    const { ino, ctimeMs, size } = pathStat(path);
    return { text: `${ino}:${ctimeMs}:${size}`, isSettled: isSettled(ctimeMs, now) };
  } catch (error) {
    return { text: String(error), isSettled: true };
  }
}

function unusable(error: unknown): HoltError {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof HoltError && error.hint !== null ? error.hint : "run `holt config check`";
  return new HoltError("EDENIED", `the configuration is invalid, so nothing is started: ${message}`, {
    hint,
    details: { rule: "config" },
    cause: error,
  });
}
