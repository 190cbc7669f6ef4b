/**
 * What an understudy is told: words of 64 bits, and what they point to. It has one place for it (platform/native/leader-x64.s), so every pointer is
 * known here, and nothing is left to be worked out there.
 *
 *   length | part | umask | directory | terminal | arguments | environment | limits | where they are | paths
 */
import type { EnvironmentBlock } from "./environment-block.ts";

/** Where it lies there, and how long it may be: a pipe takes so much at once. */
const PLACE = 0x2000_0000;
const MOST_BYTES = 0x1_0000;

const HEADER_WORDS = 10;
const LIMIT_WORDS = 3;
const WORD_BYTES = 8;
const HALF_BYTES = 4;
const LEADER = 0;
const ALONE = 1;
/** The first of the arguments is that of the program itself; it puts the path that it goes by into the second. */
const OWN_ARGUMENTS = 2;

export interface Cue {
  directory: Uint8Array;
  umask: number;
  /** Where the command may lie, in a block like that of an environment: the first that can be executed is. */
  paths: EnvironmentBlock;
  argv: readonly Uint8Array[];
  env: EnvironmentBlock;
  /** One more entry of the environment. */
  mark: Uint8Array;
  limits: readonly { resource: number; soft: bigint; hard: bigint }[];
  /** Its path; without one it is to be the command itself. */
  terminal: Uint8Array | null;
}

/** Null where it is too long. */
export function cueOf({ directory, umask, paths, argv, env, mark, limits, terminal }: Cue): Uint8Array | null {
  const argumentsAt = HEADER_WORDS;
  const environmentAt = argumentsAt + OWN_ARGUMENTS + argv.length + 1;
  const pathsAt = environmentAt + env.starts.length + 1 + 1;
  const limitsAt = pathsAt + paths.starts.length + 1;
  const stringsAt = (limitsAt + limits.length * LIMIT_WORDS) * WORD_BYTES;
  let length = stringsAt + directory.length + 1 + (terminal?.length ?? 0) + 1 + env.bytes.length + mark.length + 1;
  for (const string of argv) length += string.length + 1;
  length += paths.bytes.length;
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
  halves[18] = pointerTo(pathsAt);
  let half = 2 * (argumentsAt + OWN_ARGUMENTS);
  for (const string of argv) {
    halves[half] = placed(string);
    half += 2;
  }
  /** Returns where the next pointer would be. */
  const placedAll = (block: EnvironmentBlock, word: number): number => {
    const address = PLACE + at;
    let next = 2 * word;
    bytes.set(block.bytes, at);
    at += block.bytes.length;
    for (const start of block.starts) {
      halves[next] = address + start;
      next += 2;
    }
    return next;
  };
  placedAll(paths, pathsAt);
  half = placedAll(env, environmentAt);
  if (mark.length > 0) halves[half] = placed(mark);
  if (limits.length > 0) {
    const words = new BigUint64Array(bytes.buffer, limitsAt * WORD_BYTES, limits.length * LIMIT_WORDS);
    for (const [i, { resource, soft, hard }] of limits.entries())
      words.set([BigInt(resource), soft, hard], i * LIMIT_WORDS);
  }
  return bytes;
}

const NOTHING = new Uint8Array(0);

/** What a cue has of it. */
export function wordsIn(cue: Uint8Array): { argv: Uint8Array[]; env: Uint8Array[] } {
  const view = new DataView(cue.buffer, cue.byteOffset, cue.length);
  const listAt = (pointer: number): Uint8Array[] => {
    const strings: Uint8Array[] = [];
    for (let word = pointer - PLACE; ; word += WORD_BYTES) {
      const address = view.getUint32(word, true);
      if (address === 0) return strings;
      const start = address - PLACE;
      strings.push(cue.subarray(start, cue.indexOf(0, start)));
    }
  };
  const pointer = (word: number): number => view.getUint32(word * WORD_BYTES, true);
  return { argv: listAt(pointer(5) + OWN_ARGUMENTS * WORD_BYTES), env: listAt(pointer(6)) };
}
