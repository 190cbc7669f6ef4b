/**
 * Cancels an exec call: a command that the shell does not have yet is not submitted, and a running
 * one is interrupted with Ctrl-C.
 *
 * One Ctrl-C may be lost: while a shell starts a command, the key reaches the shell, which ignores
 * it, or the child that has not become the command yet. So every process group that gets the
 * terminal is interrupted, as long as the command runs; but none twice, because a second Ctrl-C
 * makes many programs skip their cleanup.
 */
import type { ForegroundProcess } from "./shell-host.ts";

/** A shell that takes longer to start a command does something else. */
const INTERRUPT_MS = 5000;

export class ExecCall {
  readonly #interrupted = Promise.withResolvers<boolean>();
  #isGivenUp = false;

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Resolves with whether the command was interrupted. */
  giveUp(): Promise<boolean> {
    this.#isGivenUp = true;
    return this.#interrupted.promise;
  }

  /** The first call counts. */
  finish(how: "interrupted" | "left alone"): void {
    this.#interrupted.resolve(how === "interrupted");
  }
}

export interface InterruptTarget {
  /** Null if it is unknown. */
  foregroundProcess(): ForegroundProcess | null;
  /** Output exists that was not processed yet: it may contain the end of the command. */
  hasUnreadOutput(): boolean;
  /** How often any client has typed. */
  typed(): number;
  press(): Promise<void>;
  isOver(): boolean;
  /** Waits for a moment, longer with each look. */
  pause(looks: number): Promise<void>;
}

/** Presses Ctrl-C until the command is over, or until another client types and so takes control. */
export async function interrupt(command: InterruptTarget, pressed: () => void): Promise<void> {
  const until = performance.now() + INTERRUPT_MS;
  const interrupted = new Map<number, string | null>();
  const press = async (front: ForegroundProcess | null): Promise<number> => {
    if (front !== null) interrupted.set(front.group, front.image);
    await command.press();
    return command.typed();
  };
  let typed = await press(command.foregroundProcess());
  pressed();
  let last: ForegroundProcess | null = null;
  for (let looks = 0; performance.now() < until; looks++) {
    await command.pause(looks);
    const front = command.foregroundProcess();
    if (command.isOver() || command.typed() !== typed) return;
    // A command that floods always has unprocessed output; but not output from before the last
    // look.
    const isStill = front !== null && front.group === last?.group && front.image === last.image;
    last = front;
    if (front !== null && isNotInterrupted(front, interrupted) && (isStill || !command.hasUnreadOutput()))
      typed = await press(front);
  }
}

/**
 * A group whose leader has executed another program counts as new. A group whose leader is gone was
 * interrupted with it.
 */
function isNotInterrupted(
  { group, image }: ForegroundProcess,
  interrupted: ReadonlyMap<number, string | null>,
): boolean {
  return !interrupted.has(group) || (image !== null && image !== interrupted.get(group));
}
