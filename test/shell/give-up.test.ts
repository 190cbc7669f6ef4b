/**
 * A call that is given up is not submitted, or its command is interrupted: each process group that
 * gets the terminal, once.
 */
import { expect, test } from "bun:test";
import { interrupt } from "../../src/holder/shell/give-up.ts";
import type { ForegroundProcess } from "../../src/holder/shell/shell-host.ts";
import { type ExecRequest, ShellSession } from "../../src/holder/shell/shell-session.ts";
import { failure } from "../client/failure.ts";
import { IDLE } from "./idle-shell-host.ts";

const shell: ForegroundProcess = { group: 1, image: "shell" };
/** Forked, before it executes the command. */
const forked: ForegroundProcess = { group: 2, image: "shell" };
const command: ForegroundProcess = { group: 2, image: "command" };
/** The leader has ended, other processes of the group have not. */
const rest: ForegroundProcess = { group: 2, image: null };
const next: ForegroundProcess = { group: 3, image: "command" };

interface Look {
  front: ForegroundProcess | null;
  isUnseen?: boolean;
  /** How often another client typed before this look. */
  typed?: number;
}

/** The foreground process at each Ctrl-C. The command is over after the last look. */
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

test("a shell, its forked child and the command that this becomes are interrupted one after the other", async () => {
  const looks = [shell, shell, forked, forked, command, command, command].map((front) => ({ front }));
  expect(await interrupted(looks)).toEqual([shell, forked, command]);
});

test("a command that ends slowly, and the rest of its group, are interrupted once", async () => {
  expect(await interrupted([command, command, rest, rest, command].map((front) => ({ front })))).toEqual([command]);
});

test("the next command that gets the terminal is interrupted too", async () => {
  expect(await interrupted([command, command, next, shell].map((front) => ({ front })))).toEqual([
    command,
    next,
    shell,
  ]);
});

test("if the foreground process is unknown, the key is pressed once", async () => {
  expect(await interrupted([null, null, null].map((front) => ({ front })))).toEqual([null]);
});

/**
 * The end mark may be in the unread output: a command of the prompt would be interrupted instead.
 */
test("while output is unread, a new process group is interrupted only if it stays", async () => {
  const unseen = (front: ForegroundProcess): Look => ({ front, isUnseen: true });
  expect(await interrupted([unseen(shell), unseen(command), { front: shell }])).toEqual([shell]);
  expect(await interrupted([unseen(shell), unseen(command), unseen(command)])).toEqual([shell, command]);
});

test("nothing is interrupted after another client has typed", async () => {
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

/**
 * Regression: a call waited in the holder for the prompt, and ran after its caller had received
 * ECANCELED.
 */
test("a call that waits for the prompt is not run after it was given up", async () => {
  const session = new ShellSession(IDLE);
  const typed: string[] = [];
  const waiting = session.exec(firstCall(typed));
  expect(await session.giveUp("another")).toBe(false);
  const [isInterrupted, failed] = await Promise.all([session.giveUp("first"), failure(waiting)]);
  expect({ isInterrupted, typed }).toEqual({ isInterrupted: false, typed: [] });
  expect(failed).toMatchObject({ code: "ECANCELED" });
});

/**
 * Regression: both requests use connections of their own, and a call that was given up before it
 * arrived was run without a caller.
 */
test("a call that is given up before it arrives is not run", async () => {
  const session = new ShellSession(IDLE);
  expect(await session.giveUp("first")).toBe(false);
  const typed: string[] = [];
  const failed = await failure(session.exec(firstCall(typed)));
  expect(failed).toMatchObject({ code: "ECANCELED" });
  expect(typed).toEqual([]);
});

/**
 * Regression: a fish that was interrupted just before it printed its marks printed none, and drew
 * its prompt. holt took it for busy until Enter was pressed: one canceled exec in a hundred.
 */
test.each([
  ["neither the end nor the prompt", []],
  ["the end alone", ["D;130;holt=k;n=1"]],
])("a fish that marks %s and reads at its prompt gets an Enter", async (_what, marks) => {
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
