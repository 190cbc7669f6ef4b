/** Where and with what the command of `holt start` runs: the caller's own, as bytes that need not be UTF-8. */
import { absolutePath } from "../../../platform/fs/absolute-path.ts";
import { readlinkBytes } from "../../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../../platform/fs/lossless-text.ts";
import { inheritedEnvironment } from "../../../platform/process/raw-arguments.ts";
import { bytesOf, startsWith } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { DEFAULT_TERMINAL } from "../../../protocol/wire/start-request.ts";

/** The runtime puts U+FFFD for what is no UTF-8; the kernel knows better. */
function here(): string {
  const told = process.cwd();
  return told.includes("\ufffd") && process.platform === "linux" ? losslessText(readlinkBytes("/proc/self/cwd")) : told;
}

/** The runtime's resolve takes only text that is well-formed; any other is resolved by the kernel. */
export function absolute(path: string): string {
  const whole = path.startsWith("/") ? path : `${here()}/${path}`;
  return whole.isWellFormed() ? absolutePath(whole) : whole;
}

const TERM = bytesOf("TERM=");

/** The caller's own, with what was set for the command alone. */
export function environment(settings: readonly string[], { hasTerminal }: { hasTerminal: boolean }): Uint8Array[] {
  const entries = withSettings(settings);
  // A caller without a terminal (cron, a service) has no TERM, and the command's own terminal is one all the same.
  if (!hasTerminal || entries.some((entry) => startsWith(entry, TERM))) return entries;
  return [...entries, bytesOf(`TERM=${DEFAULT_TERMINAL}`)];
}

function withSettings(settings: readonly string[]): Uint8Array[] {
  if (settings.length === 0) return inheritedEnvironment();
  const last = new Map(settings.map((setting) => [keyOf(setting), setting]));
  const prefixes = [...last.keys()].map((key) => losslessBytes(`${key}=`));
  const kept = inheritedEnvironment().filter((entry) => !prefixes.some((prefix) => startsWith(entry, prefix)));
  return [...kept, ...[...last.values()].map(losslessBytes)];
}

function keyOf(setting: string): string {
  const end = setting.indexOf("=");
  if (end > 0) return setting.slice(0, end);
  throw new HoltError("EBADARGS", `invalid --env "${setting}"`, { hint: "use KEY=VALUE" });
}
