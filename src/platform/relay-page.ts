/** The memory that a relay thread shares with the loop (native/relay-x64.s): where what lies, and an entry of its journal. */
export const RELAY_PAGE = {
  /** 8 bytes each, for what is written to `wake`, and read from `ack` and `kick`. */
  scratch: 0,
  wake: 16,
  ack: 20,
  /** Who has it in hand: nobody, the thread or the loop. */
  state: 24,
  /** Not 0 while the loop waits for the thread. */
  isAwaited: 28,
  /** Three pollfds. */
  kick: 32,
  socket: 40,
  command: 48,
  /** Where an echo is shown, and where it is kept: the file, the offset of the next byte, and how many may follow. */
  terminal: 56,
  file: 60,
  offset: 64,
  room: 72,
  /** What a key says of what was shown, if its echo may be. */
  shown: 76,
  /** For how many nanoseconds an echo is waited for; and so long after it the loop is told. */
  wait: 96,
  /** Why the thread left it to the loop. */
  why: 84,
  /** What recvfrom(2) answered last: a length, or an error below 0. */
  received: 88,
  /** Bytes of the journal that are entries. */
  used: 92,
  /** Of a key's frame. */
  frameType: 100,
  /** Not 0 while there is something in the journal that the loop was not told of. */
  isOwed: 104,
  /** The thread's own number. */
  thread: 108,
  /** A timespec, for ppoll(2). */
  moment: 112,
  /** A timespec: when it was left to the loop. */
  leftAt: 128,
  frame: 256,
  /** The processors that it may run on: whoever sends a key may have it woken on theirs. */
  processors: 1408,
  /** By state and byte, the next state: 0 at the beginning and, if it may be shown as it is, at the end. */
  rules: 4096,
  journal: 12_288,
} as const;

export const RELAY_BYTES = 20_480;
export const RULES_BYTES = RELAY_PAGE.journal - RELAY_PAGE.rules;

export const NOBODY = 0;
export const THREAD = 1;
export const LOOP = 2;

/** Why the thread leaves it to the loop: the command printed unasked, something was received, an entry is not complete or there is room for no more. */
export const LEFT = { printed: 1, received: 2, noted: 3 } as const;

/** What was done with one key. The bytes are lent until the next key. */
export interface RelayedKey {
  typed: Uint8Array;
  /** So much of it has gone to the command. */
  taken: number;
  /** What the command printed then; nothing, if that did not come at once. */
  printed: Uint8Array;
  /** It is in the file. */
  isKept: boolean;
  /** So much of it has been shown. */
  shown: number;
}

const TYPED = 12;
const PRINTED = 28;
const KEPT = 1;

/** The entries of a journal of which so many bytes are used. */
export function* relayedKeys(memory: ArrayBuffer, used: number): Generator<RelayedKey> {
  const view = new DataView(memory, RELAY_PAGE.journal);
  for (let at = 0; at < used; ) {
    const [length, taken, printed, shown, flags] = [0, 2, 4, 6, 8].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const bytes = (from: number, size: number): Uint8Array =>
      new Uint8Array(memory, RELAY_PAGE.journal + at + from, size);
    yield {
      typed: bytes(TYPED, length),
      taken,
      printed: bytes(PRINTED, printed),
      isKept: (flags & KEPT) !== 0,
      shown,
    };
    at += (PRINTED + printed + 3) & ~3;
  }
}
