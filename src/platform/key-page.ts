/** The page that a key thread shares with the loop (native/keys-x64.s): where what lies. */
export const KEY_PAGE = {
  /** 8 bytes each, for what is written to `wake` and read from `ack`. */
  scratch: 0,
  wake: 16,
  ack: 20,
  socket: 24,
  /** What read(2) answered last: a length, or an error below 0; 0 where it was not asked. */
  length: 28,
  /** Two pollfds. */
  kick: 32,
  terminal: 40,
  /** How much was shown, for the frame. */
  shown: 48,
  /** How many frames were sent. */
  sent: 52,
  /** The thread that takes what is sent, to be woken on the processor that we leave; 0 where it may be woken wherever the kernel likes. */
  taker: 56,
  /** Which processor that is, and a set of processors that is empty but for it. */
  here: 60,
  /** One byte for each value: not 0 where it is to be told and not sent. */
  told: 64,
  processors: 320,
  /** Length, type, how much was shown, and from `bytes` on what was read. */
  frame: 512,
  bytes: 521,
} as const;

/** At most, at a time. */
export const KEY_BYTES = 1024;
