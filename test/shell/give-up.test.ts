/** A command that is given up is not given to the shell, or whoever has the terminal is interrupted, one after the other, and nobody twice. */
import { expect, test } from "bun:test";
import { interrupt } from "../../src/holder/shell/give-up.ts";
import type { ForegroundProcess } from "../../src/holder/shell/shell-host.ts";
import { type ExecRequest, ShellSession } from "../../src/holder/shell/shell-session.ts";
import { failure } from "../client/failure.ts";
import { IDLE } from "./idle-shell-host.ts";

const shell: ForegroundProcess = { group: 1, image: "shell" };
/** Forked, and about to become the command. */
const forked: ForegroundProcess = { group: 2, image: "shell" };
const command: ForegroundProcess = { group: 2, image: "command" };
/** Its leader has ended, and others of its group have not. */
const rest: ForegroundProcess = { group: 2, image: null };
const next: ForegroundProcess = { group: 3, image: "command" };

interface Look {
  front: ForegroundProcess | null;
  isUnseen?: boolean;
  /** By somebody else, before it. */
  typed?: number;
}

/** Who had the terminal when the key was pressed, look by look. After the last it is over. */
async function interrupted(looks: readonly Look[]): Promise<(ForegroundProcess | null)[]> {
  const pressed: (ForegroundProcess | null)[] = [];
  let at = 0;
  const look = (): Look => looks[at] ?? { front: null };
  await interrupt(
    {
      foregroundProcess: () => look().front,
      hasUnreadOutput: () => look().isUnseen ?? false,
      typed: () => pressed.length + looks.slice(0, at + 1).reduce((sum, { typed = 0 }) => sum + typed, 0),
      press: async () => void pressed.push(look().front),
      isOver: () => at >= looks.length,
      pause: async () => void at++,
    },
    () => expect(pressed).toHaveLength(1),
  );
  return pressed;
}

test("a shell, the process that it forks and the command that this becomes are three", async () => {
  const looks = [shell, shell, forked, forked, command, command, command].map((front) => ({ front }));
  expect(await interrupted(looks)).toEqual([shell, forked, command]);
});

test("a command that takes its time to end, and what is left of it, are told once", async () => {
  expect(await interrupted([command, command, rest, rest, command].map((front) => ({ front })))).toEqual([command]);
});

test("what comes after it has the terminal, and is told as well", async () => {
  expect(await interrupted([command, command, next, shell].map((front) => ({ front })))).toEqual([
    command,
    next,
    shell,
  ]);
});

test("where it cannot be told who has the terminal, the key is pressed once", async () => {
  expect(await interrupted([null, null, null].map((front) => ({ front })))).toEqual([null]);
});

/** The mark at its end may be among it: what a prompt runs would be interrupted in its place. */
test("while something is unseen nobody new is told, unless they stay", async () => {
  const unseen = (front: ForegroundProcess): Look => ({ front, isUnseen: true });
  expect(await interrupted([unseen(shell), unseen(command), { front: shell }])).toEqual([shell]);
  expect(await interrupted([unseen(shell), unseen(command), unseen(command)])).toEqual([shell, command]);
});

test("once somebody else types, it is theirs", async () => {
  expect(await interrupted([{ front: shell }, { front: shell, typed: 1 }, { front: command }])).toEqual([shell]);
});

function firstCall(typed: string[]): ExecRequest {
  return {
    command: new Uint8Array(),
    text: "",
    timeoutMs: 30_000,
    type: (keys) => void typed.push(keys),
    interrupt: async () => void typed.push("ctrl-c"),
    call: "first",
  };
}

/** It waited in the holder for the prompt, and was run there after its caller had been told that it was canceled. */
test("what waits for the prompt when it is given up is not run", async () => {
  const session = new ShellSession(IDLE);
  const typed: string[] = [];
  const waiting = session.exec(firstCall(typed));
  expect(await session.giveUp("another")).toBe(false);
  const [isInterrupted, failed] = await Promise.all([session.giveUp("first"), failure(waiting)]);
  expect({ isInterrupted, typed }).toEqual({ isInterrupted: false, typed: [] });
  expect(failed).toMatchObject({ code: "ECANCELED" });
});

/** Found by a reviewer: the two come on connections of their own, and one that was given up before it was known was run for nobody. */
test("what is given up before it comes is not run when it does", async () => {
  const session = new ShellSession(IDLE);
  expect(await session.giveUp("first")).toBe(false);
  const typed: string[] = [];
  const failed = await failure(session.exec(firstCall(typed)));
  expect(failed).toMatchObject({ code: "ECANCELED" });
  expect(typed).toEqual([]);
});

/**
 * Found by somebody who set out to break it: fish that was interrupted while it was about to print its marks printed none, and drew its prompt. For holt it was busy from then on, until
 * somebody pressed Enter: one canceled exec in a hundred.
 */
test.each([
  ["neither the end nor the prompt", []],
  ["the end alone", ["D;130;holt=k;n=1"]],
])("a fish that tells %s, and reads at its prompt, is asked for another", async (_what, marks) => {
  const session = new ShellSession({ ...IDLE, shell: "fish", isEditing: () => true, isReading: () => true });
  session.marked("A;holt=k;n=1", 0, 0);
  const typed: string[] = [];
  const running = session.exec({
    command: new Uint8Array(),
    text: "sleep 15",
    timeoutMs: 30_000,
    type: (keys) => {
      typed.push(keys);
      session.typed(new TextEncoder().encode(keys));
      if (typed.length === 1) session.marked("C;holt=k;n=1;exec", 0, 0);
      else session.marked("A;holt=k;n=2", 0, 0);
    },
    interrupt: async () => {
      for (const mark of marks) session.marked(mark, 0, 0);
    },
    call: "first",
  });
  expect(await session.giveUp("first")).toBe(true);
  expect(await running).toMatchObject({ outcome: "done" });
  expect(typed.slice(1)).toEqual(["\r"]);
  expect(await session.untilPrompt(1000)).toBe(true);
});
