/**
 * Settings that most commands need. Without a configuration, returns the defaults and loads no
 * parser.
 */
import { SETTINGS } from "../protocol/types/settings.ts";
import type { LogSettings } from "../protocol/types/log-settings.ts";
import { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_QUOTA_BYTES, DEFAULT_RETENTION_SECONDS } from "../protocol/types/session.ts";
import type { Settings } from "./keys.ts";
import { isConfigured } from "./where.ts";

export interface QuickSettings {
  retentionSeconds: number;
  maxOutputBytes: number;
  quotaBytes: number;
  maxClients: number;
  slowClientMs: number;
  scrollbackBytes: number;
  allowClipboard: boolean;
  /** Null: the default. */
  log: LogSettings | null;
  /** Parent of the sessions' control groups; null: the nearest that works. */
  cgroup: string | null;
}

const UNCONFIGURED: QuickSettings = {
  retentionSeconds: DEFAULT_RETENTION_SECONDS,
  maxOutputBytes: DEFAULT_MAX_OUTPUT_BYTES,
  quotaBytes: DEFAULT_QUOTA_BYTES,
  maxClients: SETTINGS.max_clients.fallback,
  slowClientMs: SETTINGS.slow_client_ms.fallback,
  scrollbackBytes: SETTINGS.scrollback_bytes.fallback,
  allowClipboard: SETTINGS.allow_clipboard.fallback,
  log: null,
  cgroup: null,
};

export async function quickSettings(): Promise<QuickSettings> {
  return isConfigured() ? quickSettingsFrom((await import("./settings.ts")).loadSettings().settings) : UNCONFIGURED;
}

export function quickSettingsFrom(settings: Settings): QuickSettings {
  return {
    retentionSeconds: settings["sessions.retention_seconds"],
    maxOutputBytes: settings["sessions.max_output_bytes"],
    quotaBytes: settings["sessions.quota_bytes"],
    maxClients: settings["pty.max_clients"],
    slowClientMs: settings["pty.slow_client_ms"],
    scrollbackBytes: settings["pty.scrollback_bytes"],
    allowClipboard: settings["terminal.clipboard"],
    log: { level: settings["log.level"], format: settings["log.format"] },
    cgroup: settings["limits.cgroup"],
  };
}

export function retentionLimits({ retentionSeconds, quotaBytes }: QuickSettings): {
  ttlSeconds: number;
  quotaBytes: number;
} {
  return { ttlSeconds: retentionSeconds, quotaBytes };
}
