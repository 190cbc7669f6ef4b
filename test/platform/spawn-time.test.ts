import { expect, test } from "bun:test";
import { spawnTimed } from "../../src/platform/process/spawn-time.ts";
import { processStatus } from "../../src/platform/process/processes.ts";
import { spawn } from "../../src/platform/process/spawn.ts";
import { waitFor } from "../../src/platform/process/wait.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";

test("a child's start time is the kernel's own, or null", () => {
  const births = Array.from({ length: 50 }, () => {
    const { pid, startTime } = spawnTimed(() =>
      spawn({
        path: bytesOf("/bin/sleep"),
        argv: ["sleep", "60"].map(bytesOf),
        env: [],
        fds: new Map(),
        place: "new_session",
      }),
    );
    const told = processStatus(pid)?.startTime ?? null;
    process.kill(pid, "SIGKILL");
    waitFor(pid, { block: true, stops: false });
    return { told, startTime };
  });
  const known = births.filter(({ startTime }) => startTime !== null);
  expect(known.map(({ startTime }) => startTime)).toEqual(known.map(({ told }) => told));
  expect(known).not.toBeEmpty();
});
