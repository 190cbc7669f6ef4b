// bun start-in-group.ts pipes|terminal CGROUP.PROCS: starts `cat`, prints its pid and its leader's,
// and keeps it until this program is killed.
import { closeSync, openSync } from "node:fs";
import { startPipes } from "../../src/process/pipes/pipes.ts";
import { startPty } from "../../src/process/pty/pty.ts";
import type { SpawnSpec, TransportEvents } from "../../src/process/transport.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";

const CORE = 4;
const [how = "", procs = ""] = process.argv.slice(2);
const group = openSync(procs, "w");
const events: TransportEvents = {
  starting() {},
  made() {},
  output() {},
  stopped() {},
  ended() {},
  inputDrained() {},
};
const spec: SpawnSpec = {
  path: bytesOf("/bin/cat"),
  argv: [bytesOf("cat")],
  env: [],
  inherited: [],
  limits: [{ resource: CORE, soft: 0n, hard: 0n }],
  group,
};
const terminal = { termios: null, typedAhead: new Uint8Array(0), stderr: "terminal", isForeground: true } as const;
const transport =
  how === "pipes"
    ? startPipes(spec, events, { stdin: "piped" })
    : await startPty({ spec, size: { cols: 80, rows: 24, width: 0, height: 0 }, ...terminal }, events);
closeSync(group);
console.log([transport.pid, ...transport.helpers].join(" "));
setInterval(() => {}, 1 << 30);
