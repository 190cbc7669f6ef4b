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
const HALF_BYTES = 4;
const LEADER = 0;
const ALONE = 1;

/** Null where it is too long. Without a terminal it is to be the command itself. */
export function cueOf({ path, argv, env, limits, entered }: SpawnSpec, terminal: Uint8Array | null): Uint8Array | null {
  if (entered === undefined) return null;
  // The first of the arguments is that of the program itself: it goes by the second, which is the path.
  const argumentsAt = HEADER_WORDS;
  const environmentAt = argumentsAt + 2 + argv.length + 1;
  const limitsAt = environmentAt + env.length + 1;
  const stringsAt = (limitsAt + limits.length * LIMIT_WORDS) * WORD_BYTES;
  const { directory, umask } = entered;
  let length = stringsAt + directory.length + 1 + (terminal?.length ?? 0) + 1 + path.length + 1;
  for (const string of argv) length += string.length + 1;
  for (const string of env) length += string.length + 1;
  if (length > MOST_BYTES) return null;
  const bytes = new Uint8Array(length);
  // The lower halves of the words: what is not put is zero, and a zero ends each list.
  const halves = new Int32Array(bytes.buffer, 0, stringsAt / HALF_BYTES);
  let at = stringsAt;
  const placed = (string: Uint8Array): number => {
    const address = PLACE + at;
    bytes.set(string, at);
    at += string.length + 1;
    return address;
  };
  const pointerTo = (word: number): number => PLACE + word * WORD_BYTES;
  halves[0] = length;
  halves[2] = terminal === null ? ALONE : LEADER;
  halves[4] = umask;
  halves[6] = placed(directory);
  halves[8] = placed(terminal ?? NOTHING);
  halves[10] = pointerTo(argumentsAt);
  halves[12] = pointerTo(environmentAt);
  halves[14] = limits.length;
  halves[16] = pointerTo(limitsAt);
  let half = 2 * (argumentsAt + 1);
  halves[half] = placed(path);
  for (const string of argv) halves[(half += 2)] = placed(string);
  half = 2 * environmentAt;
  for (const string of env) {
    halves[half] = placed(string);
    half += 2;
  }
  if (limits.length > 0) {
    const words = new BigUint64Array(bytes.buffer, limitsAt * WORD_BYTES, limits.length * LIMIT_WORDS);
    for (const [i, { resource, soft, hard }] of limits.entries())
      words.set([BigInt(resource), soft, hard], i * LIMIT_WORDS);
  }
  return bytes;
}

const NOTHING = new Uint8Array(0);
