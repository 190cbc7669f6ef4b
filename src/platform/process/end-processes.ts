/** The one way in which processes are ended for good: frozen before they are killed, until there is proof that nothing is left. */
import { send, signalNumber } from "./signals.ts";

const SIGKILL = signalNumber("SIGKILL");
const SIGSTOP = signalNumber("SIGSTOP");
/** Only what hangs in the kernel takes longer, unless a busy machine leaves us too little time for a few rounds. */
const GIVE_UP_MS = 4000;
const FEWEST_ROUNDS = 10;
const LOOK_MS = 20;
/** Rounds for processes that we may not signal, another user's (sudo), to end by themselves. */
const FIRST_ROUNDS = 5;
const MOST_LOOKS = 100;

export interface ProcessesToEnd {
  /** The processes that live. `found` is called with each one before its children are looked up. */
  look: (found: (pid: number) => void) => number[];
  /** Asked after a look that found nothing: a proof, or one more look. */
  isGone: () => boolean;
}

/** False when something is left: another user's, or one that hangs in the kernel. */
export async function endProcesses({ look, isGone }: ProcessesToEnd): Promise<boolean> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let round = 0; round < FEWEST_ROUNDS || performance.now() < deadline; round++) {
    const found = frozen(look);
    if (found.length === 0 && isGone()) return true;
    const reached = found.filter((pid) => send(pid, SIGKILL));
    if (found.length > 0 && reached.length === 0 && round > FIRST_ROUNDS) return false;
    await Bun.sleep(Math.min(round, LOOK_MS));
  }
  return false;
}

/** Stops each process as it is found, until a look finds no other: a stopped process can neither replace itself nor react to the death of another. */
function frozen(look: ProcessesToEnd["look"]): number[] {
  const found = new Set<number>();
  const freeze = (pid: number): void => {
    if (!found.has(pid)) send(pid, SIGSTOP);
    found.add(pid);
  };
  for (let looks = 0, before = -1; found.size > before && looks < MOST_LOOKS; looks++) {
    before = found.size;
    look(freeze);
  }
  return [...found];
}
