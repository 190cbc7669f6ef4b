/** One xterm terminal of the session's size, scaled to fit its area. */
import { WebglAddon } from "@xterm/addon-webgl";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal } from "@xterm/xterm";
import { effect } from "@preact/signals";
import { isScreenReaderOn } from "../state/screen-reader.ts";
import { notify } from "../state/toast.ts";
import { MIN_CONTRAST, PALETTES } from "../state/palettes.ts";
import { theme } from "../state/theme.ts";
import { Panning } from "./panning.ts";

const FONT = '"Holt Mono", ui-monospace, "SF Mono", "JetBrains Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const FONT_SIZE = 14;
/** Smaller text is not readable. */
const MIN_FONT_SIZE = 9;
/**
 * Font sizes, largest first. Glyphs are drawn at one of these and never scaled afterwards: that
 * would drop rows of pixels.
 */
const FONT_SIZES = Array.from({ length: (FONT_SIZE - MIN_FONT_SIZE) * 2 + 1 }, (_, step) => FONT_SIZE - step / 2);
const LINE_HEIGHT = 1.15;
/** Line height is reduced before the font size. */
const MIN_LINE_HEIGHT = 1.05;
const SCROLLBAR = 10;
const FRAME_BYTES = 64 * 1024;
const MAX_QUEUED_BYTES = 512 * 1024;
/** RIS: resets the terminal. */
const TERMINAL_RESET = Uint8Array.of(0x1b, 0x63);

export interface ScreenOptions {
  host: HTMLElement;
  /** Null: input is disabled. */
  onInput: ((bytes: Uint8Array) => void) | null;
  /**
   * Called when too much output is queued, and when there is room again; null: the sender is paced
   * otherwise.
   */
  onOverload: ((isOverloaded: boolean) => void) | null;
}

export class Screen {
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  readonly #host: HTMLElement;
  readonly #disposers: (() => void)[] = [];
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isFeeding = false;
  #isOverloaded = false;
  readonly #onOverload: (isOverloaded: boolean) => void;
  #defaultCell = { width: 8.4, height: 20 };
  readonly #panning: Panning;
  /** The sizes for which the font was chosen. */
  #fontKey = "";

  constructor({ host, onInput, onOverload }: ScreenOptions) {
    this.#host = host;
    this.#onOverload = onOverload ?? (() => {});
    const terminal = new Terminal({
      fontFamily: FONT,
      fontSize: FONT_SIZE,
      lineHeight: LINE_HEIGHT,
      theme: PALETTES[theme.peek()],
      cursorBlink: onInput !== null && !matchMedia("(prefers-reduced-motion: reduce)").matches,
      scrollback: 5000,
      allowProposedApi: true,
      disableStdin: onInput === null,
      screenReaderMode: isScreenReaderOn.peek(),
      minimumContrastRatio: 1,
      linkHandler: { activate: followLink },
      overviewRuler: { width: SCROLLBAR },
      // Bold does not brighten colours, as in tmux and most terminals.
      drawBoldTextInBrightColors: false,
    });
    this.terminal = terminal;
    terminal.loadAddon(this.search);
    terminal.open(host);
    this.#panning = new Panning(host, terminal);
    this.#accelerate();
    this.#defaultCell = this.#cell();
    if (onInput !== null) {
      // A click below the last row focuses the terminal as well.
      const focus = (): void => {
        if (!terminal.hasSelection()) terminal.focus();
      };
      host.addEventListener("click", focus);
      this.#disposers.push(() => host.removeEventListener("click", focus));
      terminal.onData((text) => onInput(new TextEncoder().encode(text)));
      terminal.onBinary((text) => onInput(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    }
    // The holder answers terminal queries; an answer from here would count as input.
    for (const id of [{ final: "c" }, { prefix: ">", final: "c" }, { prefix: "=", final: "c" }, { final: "n" }, { prefix: "?", final: "n" }])
      terminal.parser.registerCsiHandler(id, () => true);
    this.#disposers.push(
      effect(() => void (terminal.options.theme = PALETTES[theme.value])),
      effect(() => void (terminal.options.screenReaderMode = isScreenReaderOn.value)),
    );
  }

  get isShown(): boolean {
    return this.#host.closest(".away") === null;
  }

  /** Number of cells that fit at the default font size. */
  get fittingSize(): { cols: number; rows: number } {
    // Cells have whole pixels, so the default cell is measured only at the default size.
    if (this.terminal.options.lineHeight === LINE_HEIGHT) this.#defaultCell = this.#cell();
    const { width, height } = this.#defaultCell;
    const { offsetWidth, offsetHeight } = this.#host;
    return {
      cols: Math.max(2, Math.floor((offsetWidth - SCROLLBAR) / width)),
      rows: Math.max(1, Math.floor(offsetHeight / height)),
    };
  }

  /** Sets the session's size; a terminal larger than its area gets a smaller font. */
  resize(cols: number, rows: number): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
    this.scale();
  }

  scale(): void {
    const { offsetWidth, offsetHeight } = this.#host;
    if (offsetWidth === 0) return; // not on the page now
    const { cols, rows } = this.terminal;
    const what = [cols, rows, offsetWidth, offsetHeight, devicePixelRatio].join(" ");
    if (what !== this.#fontKey) this.#chooseFont();
    this.#fontKey = what;
    this.#panning.measure(this.#size(), SCROLLBAR);
  }

  /** Whether the whole screen is visible. */
  get isWhole(): boolean {
    return !this.#panning.isPanned;
  }

  /**
   * Chooses the largest font in which the screen fits. Cells have whole pixels, so only drawing
   * tells.
   */
  #chooseFont(): void {
    const { offsetWidth, offsetHeight } = this.#host;
    const isFitting = (fontSize: number, lineHeight: number): boolean => {
      this.#setFont(fontSize, lineHeight);
      const { width, height } = this.#size();
      return width <= offsetWidth && height <= offsetHeight;
    };
    if (isFitting(FONT_SIZE, LINE_HEIGHT)) return;
    let [low, high] = [0, FONT_SIZES.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isFitting(FONT_SIZES[middle] ?? MIN_FONT_SIZE, MIN_LINE_HEIGHT)) high = middle;
      else low = middle + 1;
    }
    this.#setFont(FONT_SIZES[low] ?? MIN_FONT_SIZE, MIN_LINE_HEIGHT);
  }

  #setFont(fontSize: number, lineHeight: number): void {
    this.terminal.options.lineHeight = lineHeight;
    this.terminal.options.fontSize = fontSize;
  }

  /**
   * Queues live output. Single output, such as an echo, is written at once; a flood gets a bounded
   * share of each frame, and the sender is paused while too much is queued.
   */
  feed(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#setOverload(true);
    if (!this.#isFeeding) void this.#feed();
  }

  async #feed(): Promise<void> {
    this.#isFeeding = true;
    while (this.#queue.length > 0) {
      let taken = 0;
      let written = Promise.resolve();
      for (let next = this.#queue[0]; next !== undefined && taken < FRAME_BYTES; next = this.#queue[0]) {
        this.#queue.shift();
        taken += next.length;
        written = this.write(next);
      }
      this.#queuedBytes -= taken;
      await written;
      if (this.#queuedBytes < FRAME_BYTES) this.#setOverload(false);
      if (this.#queue.length > 0) await nextFrame();
    }
    this.#isFeeding = false;
  }

  #setOverload(isOverloaded: boolean): void {
    if (this.#isOverloaded === isOverloaded) return;
    this.#isOverloaded = isOverloaded;
    this.#onOverload(isOverloaded);
  }

  /**
   * Replaces the screen in one write, so that it is never blank. The scrollback is replaced or
   * kept: a replay brings it once, not after each resize.
   */
  show(bytes: Uint8Array, size: { cols: number; rows: number }, scrollback: "replaced" | "kept"): Promise<void> {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#setOverload(false); // the queue is empty
    const begin = scrollback === "kept" ? new Uint8Array() : TERMINAL_RESET;
    const all = new Uint8Array(begin.length + bytes.length);
    all.set(begin);
    all.set(bytes, begin.length);
    this.resize(size.cols, size.rows);
    return this.write(all);
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(bytes, resolve));
  }

  dispose(): void {
    for (const end of this.#disposers) end();
    this.#panning.dispose();
    this.terminal.dispose();
  }

  #cell(): { width: number; height: number } {
    const { width, height } = this.#size();
    const { cols, rows } = this.terminal;
    return { width: width / cols || 8.4, height: height / rows || 17 };
  }

  #size(): { width: number; height: number } {
    const screen = this.#host.querySelector<HTMLElement>(".xterm-screen");
    return { width: screen?.offsetWidth ?? 0, height: screen?.offsetHeight ?? 0 };
  }

  /** Without WebGL, or after its loss, xterm draws by itself. */
  #accelerate(): void {
    try {
      const webgl = new WebglAddon();
      webgl.onContextLoss(() => {
        webgl.dispose();
        this.terminal.options.minimumContrastRatio = 1;
        this.#fontKey = ""; // its cells have another size
        this.scale();
      });
      this.terminal.loadAddon(webgl);
      // Bold black on black, as htop prints, would be invisible. The DOM renderer must not do this:
      // it makes inverse text harder to read.
      this.terminal.options.minimumContrastRatio = MIN_CONTRAST;
    } catch {
      // drawn as elements
    }
  }
}

/** A program chooses the target of a link: show it first, and open web pages only. */
function followLink(event: MouseEvent, uri: string): void {
  if (!/^https?:\/\//i.test(uri)) notify("This link is not a web page", { hint: uri });
  else if (event.ctrlKey || event.metaKey) open(uri, "_blank", "noopener,noreferrer");
  else notify("Ctrl/Cmd and click to open this link", { hint: uri });
}

/** A hidden page gets no frames: use a timer there. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === "hidden") setTimeout(resolve, 100);
    else requestAnimationFrame(() => resolve());
  });
}
