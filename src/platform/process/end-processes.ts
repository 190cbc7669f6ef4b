/**
 * Ends processes for good: stops them, kills them, and repeats until there is proof that none is
 * left. All session trees are ended here.
 */
import { send, signalNumber } from "./signals.ts";

const SIGKILL = signalNumber("SIGKILL");
const SIGSTOP = signalNumber("SIGSTOP");
/** Only a process that hangs in the kernel takes longer. FEWEST_ROUNDS holds on a busy machine. */
const GIVE_UP_MS = 4000;
const FEWEST_ROUNDS = 10;
const ROUND_MS = 20;
/**
 * Rounds in which processes of another user (sudo), which cannot be signalled, may end by
 * themselves.
 */
const FIRST_ROUNDS = 5;
const MAX_PASSES = 100;

export interface ProcessesToEnd {
  /** Lists the live processes. Calls `found` with each before its children are looked up. */
  look: (found: (pid: number) => void) => number[];
  /** Called after a pass that found none: proves that none is left, or fails to. */
  isGone: () => boolean;
}

/** False when a process is left: another user's, or one that hangs in the kernel. */
export async function endProcesses({ look, isGone }: ProcessesToEnd): Promise<boolean> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let round = 0; round < FEWEST_ROUNDS || performance.now() < deadline; round++) {
    const found = freezeAll(look);
    if (found.length === 0 && isGone()) return true;
    const reached = found.filter((pid) => send(pid, SIGKILL));
    if (found.length > 0 && reached.length === 0 && round > FIRST_ROUNDS) return false;
    await Bun.sleep(Math.min(round, ROUND_MS));
  }
  return false;
}

/**
 * Stops each process as it is found, until a pass finds no new one. A stopped process can neither
 * replace itself by a fork nor react to the death of another.
 */
function freezeAll(look: ProcessesToEnd["look"]): number[] {
  const found = new Set<number>();
  const freeze = (pid: number): void => {
    if (!found.has(pid)) send(pid, SIGSTOP);
    found.add(pid);
  };
  for (let looks = 0, before = -1; found.size > before && looks < MAX_PASSES; looks++) {
    before = found.size;
    look(freeze);
  }
  return [...found];
}
