/**
 * A terminal that is larger than its place, even in the smallest letters that can be read, is moved about in it: by touch and by scrollbars, as the browser does it.
 * By itself it goes where the cursor is, until somebody moves it to where the cursor is not; whoever types then wants to see what they type.
 */
import type { Terminal } from "@xterm/xterm";

export class Panning {
  readonly #host: HTMLElement;
  readonly #terminal: Terminal;
  #isFollowing = true;
  /** Where this put it: what the browser tells of that is no news. */
  #put = { left: 0, top: 0 };

  constructor(host: HTMLElement, terminal: Terminal) {
    this.#host = host;
    this.#terminal = terminal;
    host.addEventListener("scroll", this.#scrolled);
    terminal.onWriteParsed(() => {
      this.#scrolled(); // the browser tells of it with its next frame, and what is printed before that would take it back
      this.follow();
    });
    terminal.onData(() => {
      this.#isFollowing = true;
      this.follow();
    });
  }

  get isPanned(): boolean {
    return this.#host.classList.contains("panned");
  }

  /** After each change of the terminal's size or of its place's. */
  measure(screen: { width: number; height: number }, scrollbar: number): void {
    const { offsetWidth, offsetHeight } = this.#host;
    const isPanned = screen.width > offsetWidth || screen.height > offsetHeight;
    this.#host.classList.toggle("panned", isPanned);
    const { element } = this.#terminal;
    if (element !== undefined) element.style.width = screen.width > offsetWidth ? `${screen.width + scrollbar}px` : "";
    this.follow();
  }

  follow(): void {
    if (!this.#isFollowing || !this.isPanned) return;
    const cursor = this.#cursor();
    if (cursor === null) return;
    const { scrollLeft, scrollTop, clientWidth } = this.#host;
    // A line that grows beyond the edge is not moved with each of its letters.
    const left = moved(scrollLeft, cursor.across, clientWidth / 4);
    const top = moved(scrollTop, cursor.down, 0);
    if (left !== scrollLeft || top !== scrollTop) this.#host.scrollTo(left, top);
    this.#put = { left: this.#host.scrollLeft, top: this.#host.scrollTop };
  }

  dispose(): void {
    this.#host.removeEventListener("scroll", this.#scrolled);
  }

  readonly #scrolled = (): void => {
    const { scrollLeft, scrollTop } = this.#host;
    if (scrollLeft === this.#put.left && scrollTop === this.#put.top) return;
    const cursor = this.#cursor();
    this.#isFollowing = cursor !== null && isWithin(scrollLeft, cursor.across) && isWithin(scrollTop, cursor.down);
  };

  /** Null while what is above the screen is looked at. */
  #cursor(): { across: Along; down: Along } | null {
    const { cols, rows, element, buffer } = this.#terminal;
    const { cursorX, cursorY, viewportY, baseY } = buffer.active;
    const screen = element?.querySelector<HTMLElement>(".xterm-screen");
    if (screen == null || viewportY !== baseY) return null;
    const [width, height] = [screen.offsetWidth / cols, screen.offsetHeight / rows];
    return {
      across: { at: Math.min(cursorX, cols - 1) * width, size: width, room: this.#host.clientWidth },
      down: { at: cursorY * height, size: height, room: this.#host.clientHeight },
    };
  }
}

/** Along one of the two directions. */
interface Along {
  at: number;
  size: number;
  room: number;
}

function isWithin(now: number, { at, size, room }: Along): boolean {
  return at >= now - 1 && at + size <= now + room + 1;
}

/** The beginning, wherever that shows the cursor too. */
function moved(now: number, along: Along, ahead: number): number {
  const { at, size, room } = along;
  if (at + size <= room) return 0;
  return isWithin(now, along) ? now : at + size - room + ahead;
}
