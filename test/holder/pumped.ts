/**
 * In a process of its own, as its poller keeps descriptors for as long as the process lives. What the script given prints to a terminal, as it was delivered: a line of JSON. Once N bytes
 * were delivered there is a file seen-N.
 */
import { writeFileSync } from "node:fs";
import { closeQuietly, setNonBlocking } from "../../src/platform/fs/descriptors.ts";
import { openPseudoTerminal } from "../../src/platform/tty/terminal-device.ts";
import { OutputPump } from "../../src/process/pty/output-pump.ts";

const [script = ""] = process.argv.slice(2);
const { master, slave, path } = openPseudoTerminal();
setNonBlocking(master);
const pieces: string[] = [];
const over = Promise.withResolvers<void>();
const pump = new OutputPump(
  master,
  (bytes) => {
    pieces.push(Buffer.from(bytes).toString("latin1"));
    if (pump.bytesRead < 10_000) writeFileSync(`seen-${pump.bytesRead}`, "");
  },
  over.resolve,
);
const proc = Bun.spawn(["sh", "-c", `stty -opost; ${script}`], {
  stdin: Bun.file(path),
  stdout: Bun.file(path),
  stderr: "inherit",
});
const code = await proc.exited;
pump.catchUp();
closeQuietly(slave);
await over.promise;
await Bun.write(Bun.stdout, JSON.stringify(pieces));
process.exit(code);
