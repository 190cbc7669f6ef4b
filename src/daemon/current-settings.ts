/**
 * The settings as they are now. The file is looked at again with each call that acts, and read again when it changed: whoever tightens a policy
 * need not think of the daemon. While the file is wrong nothing is started: an old policy would be a guess.
 */
import { FORMATS } from "../config/config-file.ts";
import { defaults, type Settings } from "../config/keys.ts";
import { loadSettings } from "../config/settings.ts";
import { configDirectory, type Environment } from "../config/where.ts";
import { entryStat, pathStat } from "../platform/stat.ts";
import { HoltError } from "../protocol/errors.ts";

export class CurrentSettings {
  readonly #env: Environment;
  readonly #files: readonly string[];
  #stamp: string | null = null;
  #settings: Settings = defaults();
  #error: unknown = null;

  constructor(env: Environment = process.env) {
    this.#env = { ...env };
    const directory = configDirectory(env);
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

  #refresh(): void {
    const stamp = this.#files.map(stampOf).join(" ");
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#settings = loadSettings(this.#env).settings;
      this.#error = null;
    } catch (error) {
      this.#error = error;
    }
  }
}

/** Of what a link leads to, too. */
function stampOf(path: string): string {
  try {
    if (entryStat(path) === null) return "-";
    const { ino, mtimeMs, size } = pathStat(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch (error) {
    return String(error);
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
