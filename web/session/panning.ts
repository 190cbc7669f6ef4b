/**
 * Pans a terminal that is larger than its area even in the smallest readable font: by touch and
 * scrollbars, as native scrolling. It follows the cursor until the user scrolls away from it, and
 * again after the next key.
 */
import type { Terminal } from "@xterm/xterm";

export class Panning {
  readonly #host: HTMLElement;
  readonly #terminal: Terminal;
  #isFollowing = true;
  /** The position set here; its scroll event is ignored. */
  #put = { left: 0, top: 0 };

  constructor(host: HTMLElement, terminal: Terminal) {
    this.#host = host;
    this.#terminal = terminal;
    host.addEventListener("scroll", this.#scrolled);
    terminal.onWriteParsed(() => {
      this.#scrolled(); // scroll events come with the next frame: output before it would undo the user's scroll
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

  /** Call after each resize of the terminal or its area. */
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
    // A quarter ahead, so that a growing line does not scroll with each character.
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

  /** Null while the scrollback is shown. */
  #cursor(): { across: AxisExtent; down: AxisExtent } | null {
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

/** Position and size of the cursor on one axis, and the visible extent. */
interface AxisExtent {
  at: number;
  size: number;
  room: number;
}

function isWithin(now: number, { at, size, room }: AxisExtent): boolean {
  return at >= now - 1 && at + size <= now + room + 1;
}

/** Scrolls to the start if that shows the cursor. */
function moved(now: number, axis: AxisExtent, ahead: number): number {
  const { at, size, room } = axis;
  if (at + size <= room) return 0;
  return isWithin(now, axis) ? now : at + size - room + ahead;
}
