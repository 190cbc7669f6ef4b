/**
 * What a person may want otherwise for all their sessions, one row each: its default, and the variable that says otherwise. What a command line says of one
 * session comes before both. Defaults are here and nowhere else.
 */
import { parseByteSize } from "./byte-size.ts";
import { MAX_DURATION_MS, parseDuration } from "./duration.ts";
import { HoltError } from "./errors.ts";

/** With a client that takes nothing: let it go after a while, or keep it, however long, and bring it up to date once it takes something again. */
export const SLOW_CLIENTS = ["close", "resync"] as const;
export type SlowClient = (typeof SLOW_CLIENTS)[number];

/** It is read, looked through and queued at once. */
export const MAX_SCROLLBACK_BYTES = 4 * 1024 * 1024;

interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  /** Null when it is none. */
  readonly parse: (text: string) => T | null;
  readonly expected: string;
  readonly says: string;
}

const setting = <T>(row: Setting<T>): Setting<T> => row;

export const SETTINGS = {
  max_clients: setting<number>({
    variable: "HOLT_MAX_CLIENTS",
    fallback: 8,
    parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null),
    expected: "a number of clients, e.g. 8",
    says: "so many may be attached to a session at once (8); as `start --max-clients`",
  }),
  slow_client: setting<SlowClient>({
    variable: "HOLT_SLOW_CLIENT",
    fallback: "close",
    parse: (text) => SLOW_CLIENTS.find((word) => word === text) ?? null,
    expected: SLOW_CLIENTS.join(" or "),
    says: "what becomes of an attached client that takes nothing; as `start --slow-client`",
  }),
  slow_client_ms: setting<number>({
    variable: "HOLT_SLOW_CLIENT_AFTER",
    fallback: 10_000,
    parse(text) {
      const ms = parseDuration(text);
      return ms !== null && ms > 0 && ms <= MAX_DURATION_MS ? ms : null;
    },
    expected: "a positive duration, e.g. 10s",
    says: "and after how long (10s); as `start --slow-client-after`",
  }),
  scrollback_bytes: setting<number>({
    variable: "HOLT_SCROLLBACK_BYTES",
    fallback: 1024 * 1024,
    parse(text) {
      const bytes = parseByteSize(text);
      return bytes !== null && bytes <= MAX_SCROLLBACK_BYTES ? bytes : null;
    },
    expected: "bytes, at most 4M, e.g. 64K",
    says: "how much comes with `attach --replay raw` (1M); as `attach --scrollback-bytes`",
  }),
  allow_clipboard: setting<boolean>({
    variable: "HOLT_ALLOW_CLIPBOARD",
    fallback: false,
    parse: (text) => (text === "1" ? true : text === "0" ? false : null),
    expected: "1 or 0",
    says: "1: a session that you attach to may write to your clipboard (OSC 52); as `attach --allow-clipboard`",
  }),
  detach_keys: setting<string>({
    variable: "HOLT_DETACH_KEYS",
    fallback: "ctrl-\\ d",
    parse: (text) => text, // what keys there are is the terminal's to say
    expected: "keys by name",
    says: "how to leave an attached session (ctrl-\\ d); as `attach --detach-keys`",
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<N extends SettingName> = (typeof SETTINGS)[N]["fallback"];

/** What was given, else what its variable says, else the default. A variable that is set to nothing says nothing. */
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
  throw new HoltError("EBADARGS", `invalid ${row.variable} "${text}"`, { hint: `use ${row.expected}` });
}
