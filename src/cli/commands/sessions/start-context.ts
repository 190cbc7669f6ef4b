/**
 * Working directory and environment of a command of `holt start`, as bytes that need not be UTF-8.
 */
import { absolutePath } from "../../../platform/fs/absolute-path.ts";
import { readlinkBytes } from "../../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../../platform/fs/lossless-text.ts";
import { inheritedEnvironment } from "../../../platform/process/raw-arguments.ts";
import { bytesOf, startsWith } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { DEFAULT_TERMINAL } from "../../../protocol/wire/start-request.ts";

/** The runtime replaces invalid UTF-8 by U+FFFD; /proc/self/cwd has the original bytes. */
function workingDirectory(): string {
  const cwd = process.cwd();
  return cwd.includes("\ufffd") && process.platform === "linux" ? losslessText(readlinkBytes("/proc/self/cwd")) : cwd;
}

/** The runtime resolves only well-formed text; the kernel resolves any other path. */
export function absolute(path: string): string {
  const whole = path.startsWith("/") ? path : `${workingDirectory()}/${path}`;
  return whole.isWellFormed() ? absolutePath(whole) : whole;
}

const TERM = bytesOf("TERM=");

/** This process's environment with the variables of `--env`. */
export function environment(settings: readonly string[], { hasTerminal }: { hasTerminal: boolean }): Uint8Array[] {
  const entries = withSettings(settings);
  // Without TERM in the environment (cron, a service), the command's terminal still needs one.
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
  throw new HoltError("EBADARGS", `invalid --env: "${setting}"`, { hint: "use KEY=VALUE" });
}
