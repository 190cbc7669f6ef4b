/**
 * Starts the leader of a terminal's session (leader.ts). It takes longer to come up than anything else in a start, and
 * needs to know nothing yet: so it is launched first, and waits for its order.
 */
import { closeQuietly, privatePipe, setNonBlocking } from "../platform/descriptors.ts";
import { spawn } from "../platform/spawn.ts";
import { isTerminal, openPseudoTerminal } from "../platform/terminal-device.ts";
import { inheritedEnvironment } from "./raw-arguments.ts";

export const LEADER_COMMAND = "__leader";
export const REPORT_FD = 3;
export const ORDER_FD = 4;
/** Where stderr is no terminal: the pipe that takes its place. */
export const STDERR_FD = 5;

export interface LaunchedLeader {
  pid: number;
  master: number;
  /** Ours, so that the end of the terminal cannot overtake its last bytes. */
  slave: number;
  reports: number;
  orders: number;
  /** Null where stderr goes to the terminal. */
  errors: number | null;
}

let early: LaunchedLeader | null = null;

/** For a command on the person's terminal, before anything else is loaded. A leader that is never asked ends with us. */
export function launchEarly(): void {
  if (isTerminal(0) && isTerminal(1)) early = launchLeader(isTerminal(2) ? "terminal" : "channel");
}

/** The early one, once; or a new one. */
export function takeLeader(stderr: "terminal" | "channel"): LaunchedLeader {
  const leader = early ?? launchLeader(stderr);
  early = null;
  return leader;
}

function launchLeader(stderr: "terminal" | "channel"): LaunchedLeader {
  const { master, slave, path } = openPseudoTerminal();
  const reports = privatePipe();
  const orders = privatePipe();
  const errors = stderr === "channel" ? privatePipe() : null;
  const fds = new Map([
    [REPORT_FD, reports.writeEnd],
    [ORDER_FD, orders.readEnd],
  ]);
  if (errors !== null) fds.set(STDERR_FD, errors.writeEnd);
  const argv = [...ownCommand(), LEADER_COMMAND].map((text) => Buffer.from(text));
  const [program = new Uint8Array(0)] = argv;
  const pid = spawn({ path: program, argv, env: inheritedEnvironment(), fds, place: "own_session", terminal: path });
  for (const fd of fds.values()) closeQuietly(fd);
  setNonBlocking(master);
  setNonBlocking(reports.readEnd);
  if (errors !== null) setNonBlocking(errors.readEnd);
  return { pid, master, slave, reports: reports.readEnd, orders: orders.writeEnd, errors: errors?.readEnd ?? null };
}

/** How to start this program again. In the compiled executable the path is all; under `bun src/main.ts` the script comes second. */
export function ownCommand(): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:\\~BUN");
  return compiled ? [process.execPath] : [process.execPath, Bun.main];
}
