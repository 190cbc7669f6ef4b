/**
 * What an attached session looks like on the person's terminal.
 *
 * A terminal of the session's own size is sent its bytes as they are. On any other, lines would wrap and scroll where the session's do
 * not: there the screen is rendered here, and painted.
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

/** More waits for the terminal than this, and the session is not read. */
const PAUSE_ABOVE = 256 * 1024;
const FRAME_MS = 1000 / 60;
const LEAVE_MS = 500;
const BELL = Uint8Array.of(7);

export class UserScreen {
  /** Over the last row, whenever the whole screen is shown; null for none. */
  notice: string | null = null;
  readonly #out: PacedOutput;
  readonly #size: () => Size;
  readonly #clipboard: ClipboardWrites | null;
  readonly #colors = new ColorChanges();
  /** Null while bytes pass as they are. */
  #painted: { emulator: Emulator; painter: ScreenPainter } | null = null;
  #modes: Modes | null = null;
  #isUnused = true;
  #hasEntered = false;
  #hasLeft = false;
  /** The notice stands on a row of what passes as it is: the screen below it, and what came from the session since. */
  #covered: { screen: Uint8Array; since: Backlog } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #paintedAt = 0;

  /** `clipboard`: what it is sent may write there. */
  constructor(out: PacedOutput, size: () => Size, clipboard = false) {
    this.#out = out;
    this.#size = size;
    this.#clipboard = clipboard ? new ClipboardWrites() : null;
  }

  async replay(head: Replay, bytes: Uint8Array, kind: "screen" | "raw" | "none"): Promise<void> {
    const size = this.#size();
    const fits = kind !== "screen" || (size.cols === head.cols && size.rows === head.rows);
    this.#isUnused = false;
    if (this.#covered !== null && this.#covered.since.pieces.length > 0) this.uncover(); // it may have scrolled
    this.#covered = null;
    this.#modes = head.modes;
    if (fits) {
      this.#stopPainting();
      // Once, and only where it is not painted on a screen of its own.
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

  /** What is printed waits until the notice is gone. */
  get isCovered(): boolean {
    return this.#covered !== null;
  }

  /** All of it, as if there had been none. */
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

  /** The person's own terminal again, with what was last to be seen left on it. What was painted is gone with its own screen: of a session that is over it is told again. */
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
    // A terminal that takes nothing must not keep us from going.
    await Promise.race([this.#out.flushed(), Bun.sleep(LEAVE_MS)]);
  }

  /** Of what is painted, unless that is a screen which is left with the program. */
  #lastLines(): string {
    const screen = this.#painted?.emulator.screen();
    const lines = screen === undefined || screen.modes.alternate_screen ? "" : screenAnsi(screen);
    return lines === "" ? "" : `${lines.replaceAll("\n", "\r\n")}\r\n`;
  }

  /** What still comes from the session once its screen was left is not for the person's own. */
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
    // A terminal that does not take what it has is not sent more; the next frame has it all.
    if (this.#out.pending > 0) this.#timer = setTimeout(() => this.#paint(), FRAME_MS);
    else {
      const size = this.#size();
      this.#write(this.#painted.painter.paint(this.#painted.emulator.screen(), size));
      this.#overlay(size);
    }
  }

  /** By the notice. What is there already is the same screen, and stays in the scrollback only once. */
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

/** Bytes that wait, copied. */
const MAX_BACKLOG_BYTES = 1024 * 1024;

class Backlog {
  readonly pieces: Uint8Array[] = [];
  #bytes = 0;

  /** False when these are too many to wait: it has them all the same. */
  add(bytes: Uint8Array): boolean {
    this.pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    return this.#bytes <= MAX_BACKLOG_BYTES;
  }
}
