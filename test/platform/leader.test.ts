/** Tests the programs compiled from native/leader.c for both processors: bytes and behaviour. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants } from "node:os";
import { closeQuietly, privatePipe } from "../../src/platform/fs/descriptors.ts";
import { readSync, writeSync } from "../../src/platform/fs/libc-fs.ts";
import { COMPILERS, LEADER } from "../../src/platform/native/leader-code.ts";
import { THREADS } from "../../src/platform/native/threads-code.ts";
import { spawn } from "../../src/platform/process/spawn.ts";
import { foregroundGroup, openPseudoTerminal } from "../../src/platform/tty/terminal-device.ts";
import { parseChange, waitFor } from "../../src/platform/process/wait.ts";
import {
  decodeReport,
  type LeaderReport,
  ORDER_FD,
  REPORT_BYTES,
  REPORT_FD,
} from "../../src/process/leader/leader-protocol.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";

const ROOT = join(import.meta.dir, "..", "..");
const { SIGCONT, SIGSTOP } = constants.signals;
const EMULATOR = Bun.which("qemu-aarch64-static");
const NATIVE = process.platform === "linux" && process.arch === "x64";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "h-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

test.skipIf(!NATIVE)("what is committed is what native/*.c compiles to", async () => {
  const compiled = mkdtempSync(join(dir, "c-"));
  const { exitCode, stderr } = Bun.spawnSync([join(ROOT, "scripts/native"), compiled]);
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  const leader = (await import(join(compiled, "leader-code.ts"))) as {
    COMPILERS: typeof COMPILERS;
    LEADER: typeof LEADER;
  };
  const threads = (await import(join(compiled, "threads-code.ts"))) as { THREADS: typeof THREADS };
  for (const arch of ["x64", "arm64"] as const) {
    if (leader.COMPILERS[arch] !== COMPILERS[arch]) {
      console.error(
        `\n!!! NOT COMPARED: ${arch} was compiled by ${COMPILERS[arch]}, here is ${leader.COMPILERS[arch]}\n`,
      );
      continue;
    }
    expect(leader.LEADER[arch]).toBe(LEADER[arch]);
    expect(threads.THREADS[arch]).toEqual(THREADS[arch]);
  }
});

if (NATIVE && EMULATOR === null) console.error("\n!!! NOT TRIED: the arm64 leader: qemu-user-static is missing\n");

describe.each([
  ["x64", []],
  ["arm64", [EMULATOR ?? ""]],
] as const)("the leader for %s", (arch, emulator) => {
  const isSkipped = !NATIVE || (arch === "arm64" && EMULATOR === null);
  const program = (): string[] => {
    const path = join(dir, arch);
    writeFileSync(path, Uint8Array.fromBase64(LEADER[arch]));
    chmodSync(path, 0o755);
    return [...emulator, path];
  };

  test.skipIf(isSkipped)("runs a command in a group in front, reports its stop, continues it, reports its end", () => {
    using led = new Led(program(), ["front", "-", "/bin/sh", "sh", "-c", "kill -STOP $$; exit 7"]);
    const started = led.report();
    if (started.kind !== "started") throw new Error(JSON.stringify(started));
    expect(led.changed()).toEqual({ kind: "stopped", value: SIGSTOP });
    expect(foregroundGroup(led.master)).toBe(started.pid);
    writeSync(led.orders, bytesOf("c"));
    expect(led.changed()).toEqual({ kind: "exited", value: 7 });
  });

  test.skipIf(isSkipped)("goes on where its command was continued by another", () => {
    using led = new Led(program(), ["front", "-", "/bin/sh", "sh", "-c", "kill -STOP $$; kill -TERM $$"]);
    const started = led.report();
    if (started.kind !== "started") throw new Error(JSON.stringify(started));
    expect(led.changed().kind).toBe("stopped");
    process.kill(started.pid, SIGCONT);
    writeSync(led.orders, bytesOf("c"));
    expect(led.changed()).toEqual({ kind: "signaled", value: constants.signals.SIGTERM });
  });

  test.skipIf(isSkipped)("sets the limits of its command alone, in the order given", () => {
    using led = new Led(program(), [
      "front",
      "7:64:65,4:0:0",
      "/bin/sh",
      "sh",
      "-c",
      "exit $(($(ulimit -Sn) + $(ulimit -Hn)))",
    ]);
    expect(led.report().kind).toBe("started");
    expect(led.changed()).toEqual({ kind: "exited", value: 129 });
  });

  // The leader learns of a failed execve through vfork's shared memory, which qemu does not share.
  test.skipIf(isSkipped || arch === "arm64")("reports a command that cannot be executed", () => {
    using led = new Led(program(), ["front", "-", "/no/such", "such"]);
    expect(led.report()).toEqual({ kind: "failed", errno: constants.errno.ENOENT });
  });

  test.skipIf(isSkipped)(
    "becomes the command itself, with its limits, and runs a script without #! by the shell",
    () => {
      const script = join(dir, `script-${arch}`);
      writeFileSync(script, 'echo "$(ulimit -Sn) $1"');
      chmodSync(script, 0o755);
      const { stdout, exitCode } = Bun.spawnSync([...program(), "limited", "7:64:64", script, "script", "one"]);
      expect({ stdout: stdout.toString(), exitCode }).toEqual({ stdout: "64 one\n", exitCode: 0 });
    },
  );

  test.skipIf(isSkipped)("reports why it cannot become the command", () => {
    using led = new Led(program(), ["limited", "-", dir, "directory"]);
    expect(led.report()).toEqual({ kind: "failed", errno: constants.errno.EACCES });
  });
});

/** A leader on a new terminal. */
class Led implements Disposable {
  readonly master: number;
  readonly orders: number;
  readonly #pid: number;
  readonly #slave: number;
  readonly #reports: number;

  constructor(program: string[], words: string[]) {
    const { master, slave, path } = openPseudoTerminal();
    const [reports, orders] = [privatePipe(), privatePipe()];
    this.#pid = spawn({
      path: bytesOf(program[0] ?? ""),
      argv: [...program, ...words].map(bytesOf),
      env: [bytesOf("PATH=/usr/bin:/bin")],
      fds: new Map([
        [REPORT_FD, reports.writeEnd],
        [ORDER_FD, orders.readEnd],
      ]),
      place: "new_session",
      terminal: path,
    });
    [reports.writeEnd, orders.readEnd].forEach(closeQuietly);
    this.master = master;
    this.orders = orders.writeEnd;
    this.#slave = slave;
    this.#reports = reports.readEnd;
  }

  report(): LeaderReport {
    const record = new Uint8Array(REPORT_BYTES);
    if (readSync(this.#reports, record) < REPORT_BYTES) throw new Error("the leader ended without a report");
    return decodeReport(record);
  }

  changed(): ReturnType<typeof parseChange>["status"] {
    const report = this.report();
    if (report.kind !== "changed") throw new Error(JSON.stringify(report));
    return parseChange(report).status;
  }

  [Symbol.dispose](): void {
    [this.orders, this.#reports, this.master, this.#slave].forEach(closeQuietly);
    waitFor(this.#pid, { block: true, stops: false });
  }
}
