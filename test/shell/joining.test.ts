/**
 * Found by a review: a shell that became another is joined once for all who ask meanwhile, but with the patience of whoever asked first. One with a tenth of a second made
 * another with half a minute fail, as if the shell were gone; and one with half a minute kept another with a tenth of a second for five.
 */
import { expect, test } from "bun:test";
import { ShellSession } from "../../src/holder/shell/shell-session.ts";
import type { ShellOutcome } from "../../src/protocol/types/shell-command.ts";
import { failure } from "../client/failure.ts";
import { IDLE } from "./idle-shell-host.ts";

const JOINING_LINE = "join\r";

/** One that has just become another, and reads no keys until it is told to. */
class NewShell {
  readsKeys = false;
  joinedTimes = 0;
  readonly #session: ShellSession;

  constructor() {
    const needs = {
      ...IDLE,
      isEditing: () => this.readsKeys,
      isReading: () => this.readsKeys,
      isReplaced: () => this.joinedTimes === 0,
      replacementShell: () => "bash" as const,
      rejoin: () => {
        this.joinedTimes++;
        return JOINING_LINE;
      },
    };
    this.#session = new ShellSession(needs);
  }

  exec(timeoutMs: number): Promise<ShellOutcome> {
    return this.#session.exec({
      command: new Uint8Array(),
      text: "",
      timeoutMs,
      type: (keys) => this.#take(keys),
      interrupt: async () => {},
      call: null,
    });
  }

  /** Joined, it shows its prompt; any other line it takes, and is done with it. */
  #take(keys: string): void {
    const marks = keys === JOINING_LINE ? ["A;holt=k;n=1"] : ["C;holt=k;n=1;exec", "D;0;holt=k;n=1"];
    queueMicrotask(() => {
      for (const mark of marks) this.#session.marked(mark, 0, 0);
    });
  }
}

test.each([
  { order: "first", timeouts: [50, 30_000] },
  { order: "second", timeouts: [30_000, 50] },
])("who asks $order and gives up leaves the joining of a new shell to who has more time", async ({ timeouts }) => {
  const shell = new NewShell();
  const [early, late] = timeouts.map((timeoutMs) => ({ timeoutMs, outcome: shell.exec(timeoutMs) }));
  const [hasty, patient] = early?.timeoutMs === 50 ? [early, late] : [late, early];
  expect(await failure(hasty?.outcome ?? Promise.resolve())).toMatchObject({
    code: "EBUSY",
    message: "the shell has not come to its prompt yet",
  });
  shell.readsKeys = true;
  expect(await patient?.outcome).toMatchObject({ outcome: "done", exit_code: 0 });
  expect(shell.joinedTimes).toBe(1);
});
