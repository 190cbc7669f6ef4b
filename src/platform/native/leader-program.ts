/**
 * The leader program (native/leader.c) in a memfd. It starts in a fraction of a millisecond and
 * uses a few pages; holt's own executable in its place would take 4 ms and 3.6 MB (docs/adr/0004).
 */
import { closeQuietly } from "../fs/descriptors.ts";
import { cstring, libc } from "./libc.ts";
import { LEADER } from "./leader-code.ts";

/**
 * A close-on-exec descriptor to execute as /proc/self/fd/N; null on machines without the program.
 */
export function openLeaderProgram(): number | null {
  if (process.platform !== "linux" || process.env["HOLT_NO_NATIVE"] === "1") return null;
  if (process.arch !== "x64" && process.arch !== "arm64") return null;
  const MFD_CLOEXEC = 1;
  const fd = libc().memfd_create(cstring("holt-leader"), MFD_CLOEXEC);
  if (fd < 0) return null;
  const program = Uint8Array.fromBase64(LEADER[process.arch]);
  if (Number(libc().write(fd, program, BigInt(program.length))) === program.length) return fd;
  closeQuietly(fd);
  return null;
}
