/**
 * Arguments FREE...: starts a command on a terminal with FREE descriptors left, and prints how many
 * remain.
 */
import { closeSync, openSync } from "node:fs";
import { launchLeader } from "../../src/process/leader/leader-launch.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { errnoOf } from "../../src/protocol/types/errors.ts";

const spec = { path: bytesOf("/bin/true"), argv: [bytesOf("true")], env: [], inherited: [], limits: [] };
const request = {
  spec,
  size: { cols: 80, rows: 24, width: 0, height: 0 },
  termios: null,
  typedAhead: new Uint8Array(0),
  stderr: "channel",
  isForeground: true,
} as const;

class Refusal extends Error {}

function failure(justBefore: () => void): unknown {
  try {
    launchLeader({ ...request, justBefore });
    return "started";
  } catch (error) {
    return error instanceof Refusal ? "refused" : errnoOf(error);
  }
}

function openAll(): number[] {
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync("/dev/null", "r"));
  } catch {
    return opened;
  }
}

const refuse = (): never => {
  throw new Refusal();
};

failure(refuse); // what the first start leaves open for all others
for (const free of process.argv.slice(2).map(Number)) {
  const opened = openAll();
  for (const fd of opened.splice(0, free)) closeSync(fd);
  const outcome = failure(refuse);
  const left = openAll();
  console.log(JSON.stringify({ free, outcome, left: left.length }));
  for (const fd of [...left, ...opened]) closeSync(fd);
}
