/**
 * A shell that replaced another one is integrated once for all waiting calls. Regression: the first
 * call's timeout counted for all. A call with 0.1 s made one with 30 s fail, as if the shell were
 * gone; and a call with 30 s kept one with 0.1 s waiting for 5 s.
 */
import { expect, test } from "bun:test";
import { ShellSession } from "../../src/holder/shell/shell-session.ts";
import type { ShellOutcome } from "../../src/protocol/types/shell-command.ts";
import { failure } from "../client/failure.ts";
import { IDLE } from "./idle-shell-host.ts";

const JOINING_LINE = "join\r";

/** A shell that has just been replaced, and reads no keys until `readsKeys` is set. */
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

  /** Shows its prompt after the joining line; runs every other line. */
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
])("the call that comes $order and times out leaves the integration to one with more time", async ({ timeouts }) => {
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
