/** Why clients may not type into a session or resize it, and what to do instead. */
export interface Reservation {
  why: string;
  hint: string;
}

export interface Reserved {
  input: Reservation | null;
  size: Reservation | null;
}

export const OWN_TERMINAL: Reservation = {
  why: "its terminal belongs to the user who started it",
  hint: "watch it with `holt attach --read-only`; `holt run --share` lets others type, and `holt start` starts a session in the background",
};

export const OWN_STDIN: Reservation = {
  why: "its command reads the stdin that it was started with",
  hint: "`holt run --share` has no effect on pipes; `holt start --no-pty` starts a command that others can write to",
};

export const OWN_SIZE: Reservation = {
  why: "the terminal that it was started from decides its size",
  hint: "`holt start` starts a session that others can resize",
};

export const NO_TERMINAL: Reservation = { why: "it has no terminal", hint: "pipes have no size" };
