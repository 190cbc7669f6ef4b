/** What of a session is kept from others: why, and what they may do instead. */
export interface Reservation {
  why: string;
  hint: string;
}

export interface Reserved {
  input: Reservation | null;
  size: Reservation | null;
}

export const OWN_TERMINAL: Reservation = {
  why: "it is the terminal of whoever started it",
  hint: "`holt attach --read-only` watches; `holt run --share` lets others type, and `holt start` starts a session that is nobody's terminal",
};

export const OWN_STDIN: Reservation = {
  why: "its command reads the stdin that it was started with",
  hint: "on pipes `holt run --share` lets nobody type; `holt start --no-pty` starts a command whose input others send",
};

export const OWN_SIZE: Reservation = {
  why: "the terminal that it was started from decides its size",
  hint: "`holt start` starts a session that is nobody's terminal",
};

export const NO_TERMINAL: Reservation = { why: "it has no terminal", hint: "pipes have no size" };
