/** Session ids: their form, and how new ones are made. */
import { HoltError } from "./errors.ts";

/** The environment variable that names the session of a process. */
export const SESSION_ID_VARIABLE = "HOLT_SESSION_ID";

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id) && id !== "." && id !== "..";
}

export function requireSessionId(id: string): string {
  if (isSessionId(id)) return id;
  throw new HoltError("EBADARGS", `invalid session id ${JSON.stringify(id.slice(0, 140))}`, {
    hint: "use 1 to 128 of A-Z a-z 0-9 . _ - and start with a letter or digit",
  });
}

/** Milliseconds count from this date; eight base-36 digits then last until 2109. */
const EPOCH = Date.UTC(2020, 0, 1);
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

const TIME_DIGITS = 8;

/** Whether an id has the form of newSessionId(). */
export function isNewSessionId(id: string): boolean {
  return /^[0-9a-z]{12}$/.test(id);
}

/** Twelve characters: eight that sort by time, four random ones. */
export function newSessionId(now: number = Date.now()): string {
  const time = Math.max(0, now - EPOCH)
    .toString(36)
    .padStart(TIME_DIGITS, "0");
  // Math.random is enough for uniqueness: the first use of `crypto` is a noticeable part of `holt
  // start`.
  let random = "";
  while (random.length < 4) random += ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  return time + random;
}
