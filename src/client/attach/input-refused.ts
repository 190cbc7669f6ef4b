/**
 * Somebody types and it counts for nothing: they are told why, and what to do about it, on the last row of their screen for as long as it takes to
 * read, and again when they type once it has gone. The bell alone, which many have switched off, looked like a session that hangs.
 */
import type { Session } from "../../protocol/types/session.ts";
import type { PersonScreen } from "./user-screen.ts";

const READ_MS = 5000;
/** Where something is printed meanwhile, which has to wait for its place. */
const GLANCE_MS = 1000;

/** Short enough for a narrow terminal, as what is to be done comes last. */
export function onlyWatches({ session_id, shared }: Pick<Session, "session_id" | "shared">): string {
  return shared
    ? `--read-only: \`holt attach ${session_id}\` types`
    : "--read-only: only the terminal that it was started from types";
}

export function keyboardTaken(byWhom: string, id: string): string {
  return `${byWhom}: \`holt attach --takeover ${id}\``;
}

export class Unheard {
  readonly #screen: PersonScreen;
  readonly #refresh: () => void;
  #why: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #shownAt = 0;
  #isBrief = false;

  constructor(screen: PersonScreen, refresh: () => void) {
    this.#screen = screen;
    this.#refresh = refresh;
  }

  /** Null while nothing was typed in vain. */
  get why(): string | null {
    return this.#why;
  }

  typed(why: string): void {
    this.#screen.bell();
    this.#why = why;
    if (this.#timer !== null) return;
    this.#screen.notice = why;
    this.#shownAt = performance.now();
    this.#isBrief = false;
    this.#refresh();
    this.#hideIn(READ_MS);
  }

  /** Something is, by the session: it may be for the row that the notice stands on. */
  printed(): void {
    if (this.#timer === null || this.#isBrief || !this.#screen.isCovered) return;
    this.#isBrief = true;
    this.#hideIn(Math.max(0, this.#shownAt + GLANCE_MS - performance.now()));
  }

  /** Who may type has changed. */
  over(): void {
    this.#why = null;
    this.#hide();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #hideIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#hide(), ms);
  }

  #hide(): void {
    if (this.#timer === null) return;
    this.end();
    const wasShown = this.#screen.notice !== null;
    this.#screen.notice = null;
    if (this.#screen.isCovered) this.#screen.uncover();
    else if (wasShown) this.#refresh();
  }
}
