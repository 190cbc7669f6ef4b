/**
 * Shows an attached session on the user's terminal.
 *
 * A terminal of the session's size receives its bytes unchanged. At any other size lines would wrap
 * and scroll differently, so the screen is rendered here and painted.
 */
import type { Replay } from "../../protocol/wire/attach.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import type { Modes } from "../../protocol/types/modes.ts";
import type { PacedOutput } from "../../platform/tty/paced-output.ts";
import { ClipboardWrites } from "../../terminal/filter/clipboard-writes.ts";
import { ColorChanges } from "../../terminal/screen/color-changes.ts";
import { noticeLine } from "../../terminal/screen/notice-line.ts";
import { erasedInPlace } from "../../terminal/emulator/replay-sequences.ts";
import { enterScreen, leaveScreen } from "../../terminal/screen/user-terminal.ts";
import type { Emulator } from "../../terminal/emulator/emulator.ts";
import type { ScreenPainter } from "../../terminal/screen/screen-painter.ts";
import { screenAnsi } from "../../terminal/screen/screen-ansi.ts";

interface Size {
  cols: number;
  rows: number;
}

/** Above this many bytes queued for the terminal, the session is not read. */
const PAUSE_ABOVE = 256 * 1024;
const FRAME_MS = 1000 / 60;
const LEAVE_MS = 500;
const BELL = Uint8Array.of(7);

export class UserScreen {
  /** Shown over the last row when the whole screen is shown; null for none. */
  notice: string | null = null;
  readonly #out: PacedOutput;
  readonly #size: () => Size;
  readonly #clipboard: ClipboardWrites | null;
  readonly #colors = new ColorChanges();
  /** Null while bytes are passed through. */
  #painted: { emulator: Emulator; painter: ScreenPainter } | null = null;
  #modes: Modes | null = null;
  #isUnused = true;
  #hasEntered = false;
  #hasLeft = false;
  /**
   * Set while the notice covers a row in pass-through mode: the screen below it, and the output
   * since.
   */
  #covered: { screen: Uint8Array; since: Backlog } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #paintedAt = 0;

  /** `clipboard`: whether the session may write to the terminal's clipboard. */
  constructor(out: PacedOutput, size: () => Size, clipboard = false) {
    this.#out = out;
    this.#size = size;
    this.#clipboard = clipboard ? new ClipboardWrites() : null;
  }

  async replay(head: Replay, bytes: Uint8Array, kind: "screen" | "raw" | "none"): Promise<void> {
    const size = this.#size();
    const fits = kind !== "screen" || (size.cols === head.cols && size.rows === head.rows);
    this.#isUnused = false;
    // The waiting output may scroll.
    if (this.#covered !== null && this.#covered.since.pieces.length > 0) this.uncover();
    this.#covered = null;
    this.#modes = head.modes;
    if (fits) {
      this.#stopPainting();
      // Once, and only in pass-through mode: the painter enters a screen of its own.
      if (!this.#hasEntered && kind === "screen") this.#write(bytesOf(enterScreen(size)));
      this.#hasEntered ||= kind === "screen";
      if (this.notice === null || kind !== "screen") this.#write(bytes);
      else this.#cover(bytes, size);
    } else await this.#render(head, bytes);
    await this.#drainIfFull();
  }

  async output(bytes: Uint8Array): Promise<void> {
    if (this.#covered !== null) {
      if (!this.#covered.since.add(bytes)) {
        this.notice = null;
        this.uncover();
      }
    } else if (this.#painted === null) this.#write(bytes);
    else {
      this.#painted.emulator.write(bytes);
      const clipboard = this.#clipboard?.push(bytes);
      if (clipboard !== undefined && clipboard.length > 0) this.#write(clipboard);
      this.#paintSoon();
    }
    await this.#drainIfFull();
  }

  /** True while output waits for the notice to go. */
  get isCovered(): boolean {
    return this.#covered !== null;
  }

  /** Restores the screen and writes the output that waited. */
  uncover(): void {
    if (this.#covered === null) return;
    const { screen, since } = this.#covered;
    this.#covered = null;
    this.#write(erasedInPlace(screen, this.#size()));
    for (const bytes of since.pieces) this.#write(bytes);
  }

  bell(): void {
    this.#write(BELL);
  }

  modes(modes: Modes): void {
    this.#modes = modes;
  }

  /**
   * Restores the user's terminal. It keeps what was shown last; a painted screen is gone with the
   * alternate screen, so the last lines of an ended session are printed again.
   */
  async leave(isOver: boolean): Promise<void> {
    if (this.#timer !== null) this.#paint();
    const alternate = this.#modes?.alternate_screen === true;
    const wasPainted = this.#painted !== null;
    const last = isOver ? this.#lastLines() : "";
    this.#stopPainting();
    this.uncover();
    if (!this.#isUnused)
      this.#write(bytesOf(leaveScreen({ alternate: alternate && !wasPainted, colors: this.#colors.resets })));
    this.#write(bytesOf(last));
    this.#hasLeft = true;
    // A terminal that accepts no bytes must not delay the exit.
    await Promise.race([this.#out.flushed(), Bun.sleep(LEAVE_MS)]);
  }

  /** The lines of a painted screen, none of a full-screen program. */
  #lastLines(): string {
    const screen = this.#painted?.emulator.screen();
    const lines = screen === undefined || screen.modes.alternate_screen ? "" : screenAnsi(screen);
    return lines === "" ? "" : `${lines.replaceAll("\n", "\r\n")}\r\n`;
  }

  /** Drops output that arrives after leave(): it does not belong on the user's own screen. */
  #write(bytes: Uint8Array): void {
    if (!this.#hasLeft) this.#out.write(this.#colors.pass(bytes));
  }

  async #drainIfFull(): Promise<void> {
    if (this.#out.pending > PAUSE_ABOVE) await this.#out.flushed();
  }

  async #render({ cols, rows }: Replay, bytes: Uint8Array): Promise<void> {
    const [{ Emulator }, { ScreenPainter }] = await Promise.all([
      import("../../terminal/emulator/emulator.ts"),
      import("../../terminal/screen/screen-painter.ts"),
    ]);
    const painter = this.#painted?.painter ?? new ScreenPainter();
    if (this.#painted === null) this.#write(painter.enter());
    this.#painted?.emulator[Symbol.dispose]();
    const emulator = new Emulator({ cols, rows, scrollback: 0 });
    emulator.write(bytes);
    painter.forget();
    this.#painted = { emulator, painter };
    this.#paint();
  }

  #paintSoon(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#paintedAt + FRAME_MS - performance.now());
    this.#timer = setTimeout(() => this.#paint(), wait);
  }

  #paint(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#paintedAt = performance.now();
    if (this.#painted === null) return;
    // Skips frames while the terminal is behind; the next frame has everything.
    if (this.#out.pending > 0) this.#timer = setTimeout(() => this.#paint(), FRAME_MS);
    else {
      const size = this.#size();
      this.#write(this.#painted.painter.paint(this.#painted.emulator.screen(), size));
      this.#overlay(size);
    }
  }

  /**
   * Shows the notice over the last row. The screen is erased in place first, so that it enters the
   * scrollback only once.
   */
  #cover(screen: Uint8Array, size: Size): void {
    this.#write(erasedInPlace(screen, size));
    this.#overlay(size);
    this.#covered = { screen: screen.slice(), since: new Backlog() };
  }

  #overlay(size: Size): void {
    if (this.notice !== null) this.#write(bytesOf(noticeLine(this.notice, size)));
  }

  #stopPainting(): void {
    if (this.#painted === null) return;
    this.#write(this.#painted.painter.leave());
    this.#painted.emulator[Symbol.dispose]();
    this.#painted = null;
  }
}

/** A bounded copy of the output that waits for a notice. */
const MAX_BACKLOG_BYTES = 1024 * 1024;

class Backlog {
  readonly pieces: Uint8Array[] = [];
  #bytes = 0;

  /** Always keeps the bytes; false if they exceed the bound. */
  add(bytes: Uint8Array): boolean {
    this.pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    return this.#bytes <= MAX_BACKLOG_BYTES;
  }
}
