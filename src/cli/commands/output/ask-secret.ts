/**
 * Reads a secret from the terminal or from stdin, never from an argument, which every process of
 * the machine can read.
 */
import { readSync, readToEnd } from "../../../platform/fs/libc-fs.ts";
import { send, signalNumber } from "../../../platform/process/signals.ts";
import { getTermios, isTerminal, rawTermios, setTermios } from "../../../platform/tty/terminal-device.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { writeErr } from "../../output/output.ts";

const STDIN = 0;
const NEWLINE = 0x0a;
const ENTER = 0x0d;
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_U = 0x15;
const BACKSPACES = [0x08, 0x7f];

/** Returns the secret without its line ending. */
export function askSecret(prompt: string): Uint8Array {
  if (isTerminal(STDIN)) return readFromTerminal(prompt);
  const given = readToEnd(STDIN);
  const end = given.indexOf(NEWLINE);
  const line = end < 0 ? given : given.subarray(0, end);
  if (line.length === 0)
    throw new HoltError("EBADARGS", "no secret on stdin", {
      hint: "e.g. `pass show db | holt send ID --secret --enter`",
    });
  return line;
}

/**
 * Reads key by key in raw mode: in line mode, Ctrl-C would end this process with the terminal's
 * echo still off.
 */
function readFromTerminal(prompt: string): Uint8Array {
  const before = getTermios(STDIN);
  setTermios(STDIN, rawTermios(before), "drain"); // before the prompt, so that an early answer is not echoed
  writeErr(prompt);
  let secret: Uint8Array | null;
  try {
    secret = keysUntilEnter();
  } finally {
    setTermios(STDIN, before, "drain");
    writeErr("\n");
  }
  if (secret === null) send(process.pid, signalNumber("SIGINT"));
  if (secret !== null && secret.length > 0) return secret;
  throw new HoltError("EBADARGS", "no secret was typed, and nothing was sent");
}

/** Null after Ctrl-C. */
function keysUntilEnter(): Uint8Array | null {
  const keys: number[] = [];
  const block = new Uint8Array(1);
  while (readSync(STDIN, block) > 0) {
    const [key = 0] = block;
    if (key === CTRL_C) return null;
    if (key === ENTER || key === NEWLINE || key === CTRL_D) break;
    if (key === CTRL_U) keys.length = 0;
    else if (BACKSPACES.includes(key)) dropCharacter(keys);
    else keys.push(key);
  }
  return Uint8Array.from(keys);
}

/** Removes the last UTF-8 character. */
function dropCharacter(keys: number[]): void {
  while (isContinuation(keys.at(-1))) keys.pop();
  keys.pop();
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
