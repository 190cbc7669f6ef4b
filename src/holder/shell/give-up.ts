/**
 * A call whose caller may give it up: what was not given to the shell yet is not then, and what runs is interrupted, as somebody at its terminal would.
 *
 * One Ctrl-C may be lost. While a shell brings a command up, the key reaches the shell, which waits for the command by then and leaves such things to it; or
 * the process that is about to become the command. So whoever has the terminal is interrupted, one after the other, for as long as the command
 * runs; but nobody twice, since to many a program the second time means not to clear up.
 */
import type { ForegroundProcess } from "./shell-host.ts";

/** A shell that takes this long to bring a command up does something else. */
const INTERRUPT_MS = 5000;

export class ExecCall {
  readonly #interrupted = Promise.withResolvers<boolean>();
  #isGivenUp = false;

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Answers whether its command was interrupted. */
  giveUp(): Promise<boolean> {
    this.#isGivenUp = true;
    return this.#interrupted.promise;
  }

  /** What counts is the first word. */
  over(how: "interrupted" | "left alone"): void {
    this.#interrupted.resolve(how === "interrupted");
  }
}

export interface InterruptTarget {
  /** Null when it cannot be told. */
  front(): ForegroundProcess | null;
  /** Something was printed that is not known yet: the end of the command may be in it. */
  hasUnseen(): boolean;
  /** How often something was typed, by whomever. */
  typed(): number;
  press(): Promise<void>;
  isOver(): boolean;
  /** Waits for a moment, ever longer. */
  pause(looks: number): Promise<void>;
}

/** Until it is over, or somebody else types, who has it in hand then. */
export async function interrupt(command: InterruptTarget, pressed: () => void): Promise<void> {
  const until = performance.now() + INTERRUPT_MS;
  const interrupted = new Map<number, string | null>();
  const press = async (front: ForegroundProcess | null): Promise<number> => {
    if (front !== null) interrupted.set(front.group, front.image);
    await command.press();
    return command.typed();
  };
  let typed = await press(command.front());
  pressed();
  let last: ForegroundProcess | null = null;
  for (let looks = 0; performance.now() < until; looks++) {
    await command.pause(looks);
    const front = command.front();
    if (command.isOver() || command.typed() !== typed) return;
    // Of a command that floods, something is always unseen; but not what it printed before the last look.
    const isStill = front !== null && front.group === last?.group && front.image === last.image;
    last = front;
    if (front !== null && isNotInterrupted(front, interrupted) && (isStill || !command.hasUnseen()))
      typed = await press(front);
  }
}

/** One that has executed something since is another. Who is gone, and has left others in its group, was told with them. */
function isNotInterrupted(
  { group, image }: ForegroundProcess,
  interrupted: ReadonlyMap<number, string | null>,
): boolean {
  return !interrupted.has(group) || (image !== null && image !== interrupted.get(group));
}
