/**
 * Shows a user whose input is refused why, and which command helps: on the last row of the screen
 * for some seconds, and again at the next input. A bell alone, which many terminals mute, looks
 * like a session that hangs.
 */
import type { Session } from "../../protocol/types/session.ts";
import type { UserScreen } from "./user-screen.ts";

const NOTICE_MS = 5000;
/** For a notice that covers a row while the session prints: its output waits that long. */
const SHORT_NOTICE_MS = 1000;

/** Fits a narrow terminal, because the remedy is at the end. */
export function readOnlyNotice({ session_id, shared }: Pick<Session, "session_id" | "shared">): string {
  return shared
    ? `read-only: \`holt attach ${session_id}\` to type`
    : "read-only: only the terminal that started it can type";
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

  /** Null while no input was refused. */
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

  /** Shortens a notice that covers a row: the session's output may belong there. */
  outputArrived(): void {
    if (this.#timer === null || this.#isShortened || !this.#screen.isCovered) return;
    this.#isShortened = true;
    this.#hideIn(Math.max(0, this.#shownAt + SHORT_NOTICE_MS - performance.now()));
  }

  /** Called when the right to type has changed. */
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
