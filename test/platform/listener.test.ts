import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOURCES = join(import.meta.dir, "../../src/platform/sockets");
/** Runs in its own process: the poller keeps descriptors as long as the process lives. */
const SCRIPT = `
  const { openSync, writeSync } = require("node:fs");
  const { Listener } = await import("${SOURCES}/listener.ts");
  const { listenUnix } = await import("${SOURCES}/unix-socket.ts");
  const fd = listenUnix("socket");
  const listener = new Listener({ listener: fd, accepted() {}, refused() {} });
  listener[Symbol.dispose]();
  const opened = [];
  while (!opened.includes(fd) && opened.length < 64) opened.push(openSync("file", "w"));
  listener[Symbol.dispose]();
  console.log(opened.includes(fd) ? writeSync(fd, "still ours") : "its number was not reused");
  process.exit(0);
`;

// The daemon closed its listener, and once more when it ended. By then the number belonged to the
// audit file, which was closed instead: the daemon exited 1.
test("a listener that is disposed of twice closes its descriptor once", () => {
  const cwd = mkdtempSync(join(tmpdir(), "l-"));
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", SCRIPT], { cwd });
  expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "10\n", err: "" });
  rmSync(cwd, { recursive: true });
});
