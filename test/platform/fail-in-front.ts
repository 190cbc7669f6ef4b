// Starts a program that cannot be executed in front on the terminal of this one, and prints what group has that then.
import { constants } from "node:os";
import { libc } from "../../src/platform/native/libc.ts";
import { ignoreSignal } from "../../src/platform/process/signal-action.ts";
import { startInForeground } from "../../src/process/leader/leader.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { errnoOf } from "../../src/protocol/types/errors.ts";

const [path = ""] = process.argv.slice(2);
ignoreSignal(constants.signals.SIGTTOU);
let failed: string | null = null;
try {
  startInForeground(
    { path: bytesOf(path), argv: [bytesOf(path)], env: [], inherited: [], limits: [], group: null },
    new Map(),
  );
} catch (error) {
  failed = errnoOf(error);
}
console.log(`${failed}: ours ${libc().getpgrp()}, in front ${libc().tcgetpgrp(0)}`);
