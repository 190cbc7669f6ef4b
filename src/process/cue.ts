/**
 * What an understudy is told: words of 64 bits, and what they point to. It has one place for it (platform/native/leader-x64.s), so every pointer is
 * known here, and nothing is left to be worked out there.
 *
 *   length | part | umask | directory | terminal | arguments | environment | limits | where they are
 */
import type { SpawnSpec } from "./transport.ts";

/** Where it lies there, and how long it may be: a pipe takes so much at once. */
const PLACE = 0x2000_0000;
const MOST_BYTES = 0x1_0000;

const HEADER_WORDS = 9;
const LIMIT_WORDS = 3;
const WORD_BYTES = 8;
const LEADER = 0;
const ALONE = 1;

/** Null where it is too long. Without a terminal it is to be the command itself. */
export function cueOf({ path, argv, env, limits, entered }: SpawnSpec, terminal: Uint8Array | null): Uint8Array | null {
  if (entered === undefined) return null;
  const strings = [entered.directory, terminal ?? NOTHING, path, ...argv, ...env];
  // The first of the arguments is that of the program itself: it goes by the second, which is the path.
  const argumentsAt = HEADER_WORDS;
  const environmentAt = argumentsAt + 2 + argv.length + 1;
  const limitsAt = environmentAt + env.length + 1;
  const stringsAt = (limitsAt + limits.length * LIMIT_WORDS) * WORD_BYTES;
  const length = strings.reduce((sum, string) => sum + string.length + 1, stringsAt);
  if (length > MOST_BYTES) return null;
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  const put = (word: number, value: number): void => view.setUint32(word * WORD_BYTES, value, true);
  const pointerTo = (word: number): number => PLACE + word * WORD_BYTES;
  let at = stringsAt;
  const placed = strings.map((string) => {
    const address = PLACE + at;
    bytes.set(string, at);
    at += string.length + 1;
    return address;
  });
  const [directoryAt = 0, terminalAt = 0, ...words] = placed;
  const header = [length, terminal === null ? ALONE : LEADER, entered.umask, directoryAt, terminalAt];
  for (const [word, value] of header.entries()) put(word, value);
  put(5, pointerTo(argumentsAt));
  put(6, pointerTo(environmentAt));
  put(7, limits.length);
  put(8, pointerTo(limitsAt));
  // A zero ends each: what is not put is one.
  for (let i = 0; i <= argv.length; i++) put(argumentsAt + 1 + i, words[i] ?? 0);
  for (let i = 0; i < env.length; i++) put(environmentAt + i, words[argv.length + 1 + i] ?? 0);
  for (const [i, { resource, soft, hard }] of limits.entries())
    for (const [j, word] of [BigInt(resource), soft, hard].entries())
      view.setBigUint64((limitsAt + i * LIMIT_WORDS + j) * WORD_BYTES, word, true);
  return bytes;
}

const NOTHING = new Uint8Array(0);
