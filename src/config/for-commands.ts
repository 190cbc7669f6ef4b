/**
 * Settings for the command line: the variables of protocol/types/settings.ts override the file and
 * the key variables.
 */
import { HoltError } from "../protocol/types/errors.ts";
import { type SettingName, SETTINGS, settingOf } from "../protocol/types/settings.ts";
import type { KeyName } from "./keys.ts";
import type { Problem } from "./parse.ts";
import { type Loaded, loadSettings } from "./settings.ts";
import type { Environment } from "./where.ts";

const KEY_OF = {
  max_clients: "pty.max_clients",
  slow_client_ms: "pty.slow_client_ms",
  scrollback_bytes: "pty.scrollback_bytes",
  allow_clipboard: "terminal.clipboard",
} as const satisfies Partial<Record<keyof typeof SETTINGS, KeyName>>;

const NAMES = Object.keys(KEY_OF) as (keyof typeof KEY_OF)[];
const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function settingsForCommands(env: Environment = process.env): Loaded {
  const { settings, origins, file } = loadSettings(env);
  const [own, from] = [{ ...settings }, new Map(origins)];
  for (const name of NAMES) {
    const { variable } = SETTINGS[name];
    if ((env[variable] ?? "") === "") continue;
    Object.assign(own, { [KEY_OF[name]]: settingOf(name, null, env) });
    from.set(KEY_OF[name], variable);
  }
  return { settings: own, origins: from, file };
}

export function checkOwnVariables(env: Environment): Problem[] {
  return SETTING_NAMES.flatMap((name) => {
    try {
      settingOf(name, null, env);
      return [];
    } catch (error) {
      if (!(error instanceof HoltError)) throw error;
      return [{ line: null, message: error.message, hint: error.hint }];
    }
  });
}
