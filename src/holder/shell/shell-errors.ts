/** Errors of a shell that cannot take a command. */
import { HoltError } from "../../protocol/types/errors.ts";

const SHOWN_CHARACTERS = 80;
export const WAIT_HINT = 'session.wait {"until": "prompt"} first, or end what runs: session.send {"keys": ["ctrl-c"]}';

export function unfinishedLine(): HoltError {
  return new HoltError("EBUSY", "an unfinished line is at the shell's prompt", {
    hint: 'session.send {"keys": ["ctrl-c"]} drops it; or wait until it is finished',
  });
}

export function notAtPrompt(): HoltError {
  return new HoltError("EBUSY", "the shell has not come to its prompt yet", { hint: WAIT_HINT });
}

export function shellReplaced(): HoltError {
  return new HoltError("EBADARGS", "the shell has become another program (exec), and its integration is gone", {
    hint: "send text to it and wait for its output, or start another shell",
  });
}

function shorten(command: string): string {
  const [line = ""] = command.split("\n", 1);
  return line.length < command.length || line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}

/** `inFront` is the program that has the terminal, if it is not the shell. */
export function shellBusy(command: string | null, since: number, inFront: string | null): HoltError {
  const what = command === null ? "a command" : JSON.stringify(shorten(command));
  const front = inFront === null ? "" : `, ${inFront} has the terminal`;
  const message = `the shell is busy: it runs ${what} since ${new Date(since).toISOString()}${front}`;
  return new HoltError("EBUSY", message, { hint: WAIT_HINT });
}
