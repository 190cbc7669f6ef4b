/**
 * The settings as they are now. The file is looked at again with each call that acts, once however many ask, and read again when it changed: whoever
 * tightens a policy need not think of the daemon. While the file is wrong nothing is started: an old policy would be a guess.
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

  /** Throws where the file is wrong. */
  get(): Settings {
    this.#refresh();
    if (this.#error !== null) throw unusable(this.#error);
    return this.#settings;
  }

  /** What was last right, without a look at the file: for what must go on in any case, or happens all the time. */
  get known(): Settings {
    return this.#settings;
  }

  /** Once for all that is done in one go. */
  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    queueMicrotask(() => {
      this.#isFresh = false;
    });
    const stamp = this.#look();
    if (stamp.text === this.#stamp) return;
    // What is written to twice within a tick of the clock has one time: until that is over, it is read again.
    this.#stamp = stamp.isSettled ? stamp.text : null;
    try {
      this.#settings = loadSettings(this.#env).settings;
      this.#error = null;
    } catch (error) {
      this.#error = error;
    }
  }

  /** Most people have no file, and no directory for it: then that is all there is to look at. */
  #look(): Stamp {
    const hadNone = this.#stamp === null || this.#stamp === NO_DIRECTORY.text;
    if (this.#directory === null || (hadNone && !this.#mayExist())) return NO_DIRECTORY;
    const now = Date.now();
    const stamps = this.#files.map((file) => stampOf(file, now));
    // Without a file it tells: an empty one is no configuration, and a link to one that is gone is wrong.
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

/** Of what a link leads to, too. */
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
  const hint = error instanceof HoltError && error.hint !== null ? error.hint : "`holt config check` says more";
  return new HoltError("EDENIED", `the configuration is wrong, and nothing is started until it is right: ${message}`, {
    hint,
    details: { rule: "config" },
    cause: error,
  });
}
