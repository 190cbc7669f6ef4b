/**
 * Somebody types and it counts for nothing: they are told why, and what to do about it, on the last row of their screen for as long as it takes to
 * read, and again when they type once it has gone. The bell alone, which many have switched off, looked like a session that hangs.
 */
import type { Session } from "../../protocol/types/session.ts";
import type { UserScreen } from "./user-screen.ts";

const NOTICE_MS = 5000;
/** Where something is printed meanwhile, which has to wait for its place. */
const SHORT_NOTICE_MS = 1000;

/** Short enough for a narrow terminal, as what is to be done comes last. */
export function readOnlyNotice({ session_id, shared }: Pick<Session, "session_id" | "shared">): string {
  return shared
    ? `--read-only: \`holt attach ${session_id}\` types`
    : "--read-only: only the terminal that it was started from types";
}

export function keyboardTakenNotice(message: string, id: string): string {
  return `${message}: \`holt attach --takeover ${id}\``;
}

export class InputRefusedNotice {
  readonly #screen: UserScreen;
  readonly #refresh: () => void;
  #reason: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #shownAt = 0;
  #isShortened = false;

  constructor(screen: UserScreen, refresh: () => void) {
    this.#screen = screen;
    this.#refresh = refresh;
  }

  /** Null while nothing was typed in vain. */
  get reason(): string | null {
    return this.#reason;
  }

  show(reason: string): void {
    this.#screen.bell();
    this.#reason = reason;
    if (this.#timer !== null) return;
    this.#screen.notice = reason;
    this.#shownAt = performance.now();
    this.#isShortened = false;
    this.#refresh();
    this.#hideIn(NOTICE_MS);
  }

  /** Something is, by the session: it may be for the row that the notice stands on. */
  outputArrived(): void {
    if (this.#timer === null || this.#isShortened || !this.#screen.isCovered) return;
    this.#isShortened = true;
    this.#hideIn(Math.max(0, this.#shownAt + SHORT_NOTICE_MS - performance.now()));
  }

  /** Who may type has changed. */
  clear(): void {
    this.#reason = null;
    this.#hide();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #hideIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#hide(), ms);
  }

  #hide(): void {
    if (this.#timer === null) return;
    this.stop();
    const wasShown = this.#screen.notice !== null;
    this.#screen.notice = null;
    if (this.#screen.isCovered) this.#screen.uncover();
    else if (wasShown) this.#refresh();
  }
}
