// Starts `cat /proc/self/stat` in a new process group in the foreground of this program's terminal.
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { spawn } from "../../src/platform/process/spawn.ts";
import { waitFor } from "../../src/platform/process/wait.ts";

const argv = ["cat", "/proc/self/stat"].map(bytesOf);
const pid = spawn({ path: bytesOf("/bin/cat"), argv, env: [], fds: new Map(), place: "new_foreground_group" });
waitFor(pid, { block: true, stops: false });
