/**
 * Per-user settings, one row each: the default and the environment variable that overrides it. A
 * command line option overrides both. Defaults are defined here only.
 */
import { parseByteSize } from "./byte-size.ts";
import { MAX_DURATION_MS, parseDuration } from "./duration.ts";
import { HoltError } from "./errors.ts";

/**
 * For a client that does not read: disconnect it after a while, or keep it and resynchronize it
 * once it reads again.
 */
export const SLOW_CLIENTS = ["close", "resync"] as const;
export type SlowClient = (typeof SLOW_CLIENTS)[number];

/** The scrollback is read, searched and queued in one piece. */
export const MAX_SCROLLBACK_BYTES = 4 * 1024 * 1024;

interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  /** Null when the text is not a value of this setting. */
  readonly parse: (text: string) => T | null;
  readonly expected: string;
  readonly help: string;
}

const setting = <T>(row: Setting<T>): Setting<T> => row;

export const SETTINGS = {
  max_clients: setting<number>({
    variable: "HOLT_MAX_CLIENTS",
    fallback: 8,
    parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null),
    expected: "a number of clients, e.g. 8",
    help: "most clients attached to a session at once (8); as `start --max-clients`",
  }),
  slow_client: setting<SlowClient>({
    variable: "HOLT_SLOW_CLIENT",
    fallback: "close",
    parse: (text) => SLOW_CLIENTS.find((word) => word === text) ?? null,
    expected: SLOW_CLIENTS.join(" or "),
    help: "handling of an attached client that does not read; as `start --slow-client`",
  }),
  slow_client_ms: setting<number>({
    variable: "HOLT_SLOW_CLIENT_AFTER",
    fallback: 10_000,
    parse(text) {
      const ms = parseDuration(text);
      return ms !== null && ms > 0 && ms <= MAX_DURATION_MS ? ms : null;
    },
    expected: "a positive duration, e.g. 10s",
    help: "time until a client counts as slow (10s); as `start --slow-client-after`",
  }),
  scrollback_bytes: setting<number>({
    variable: "HOLT_SCROLLBACK_BYTES",
    fallback: 1024 * 1024,
    parse(text) {
      const bytes = parseByteSize(text);
      return bytes !== null && bytes <= MAX_SCROLLBACK_BYTES ? bytes : null;
    },
    expected: "bytes, at most 4M, e.g. 64K",
    help: "bytes replayed by `attach --replay raw` (1M); as `attach --scrollback-bytes`",
  }),
  allow_clipboard: setting<boolean>({
    variable: "HOLT_ALLOW_CLIPBOARD",
    fallback: false,
    parse: (text) => (text === "1" ? true : text === "0" ? false : null),
    expected: "1 or 0",
    help: "1: attached sessions may write to your clipboard (OSC 52); as `attach --allow-clipboard`",
  }),
  detach_keys: setting<string>({
    variable: "HOLT_DETACH_KEYS",
    fallback: "ctrl-\\ d",
    parse: (text) => text, // the key names are checked by the terminal
    expected: "keys by name",
    help: "keys that detach from a session (ctrl-\\ d); as `attach --detach-keys`",
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<N extends SettingName> = (typeof SETTINGS)[N]["fallback"];

/**
 * The given value, else the variable, else the configured value or the default. An empty variable
 * counts as unset.
 */
export function settingOf<N extends SettingName>(
  name: N,
  given: SettingValue<N> | null,
  env: Readonly<Record<string, string | undefined>>,
  configured?: SettingValue<N>,
): SettingValue<N> {
  if (given !== null) return given;
  const row = SETTINGS[name] as Setting<SettingValue<N>>;
  const text = env[row.variable] ?? "";
  if (text === "") return configured ?? row.fallback;
  const value = row.parse(text);
  if (value !== null) return value;
  throw new HoltError("EBADARGS", `invalid ${row.variable}: "${text}"`, { hint: `use ${row.expected}` });
}
