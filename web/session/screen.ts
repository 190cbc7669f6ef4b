/** xterm on the page: one terminal, of a size that is the session's, made to fit where it stands. */
import { WebglAddon } from "@xterm/addon-webgl";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal } from "@xterm/xterm";
import { effect } from "@preact/signals";
import { isReadAloud } from "../state/reading.ts";
import { tell } from "../state/toast.ts";
import { LEAST_CONTRAST, PALETTES } from "../state/palettes.ts";
import { theme } from "../state/theme.ts";
import { Panning } from "./panning.ts";

const FONT = '"Holt Mono", ui-monospace, "SF Mono", "JetBrains Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const FONT_SIZE = 14;
/** What is drawn smaller than that is a picture of a terminal. */
const LEAST_FONT = 9;
/** The largest first. Letters are drawn in one of these sizes, and never made smaller afterwards: that takes rows of pixels out of them. */
const FONTS = Array.from({ length: (FONT_SIZE - LEAST_FONT) * 2 + 1 }, (_, step) => FONT_SIZE - step / 2);
const LINE_HEIGHT = 1.15;
/** Before letters are made smaller, lines stand closer. */
const LEAST_LINE_HEIGHT = 1.05;
const SCROLLBAR = 10;
const FRAME_BYTES = 64 * 1024;
const MOST_WAITING = 512 * 1024;
/** Everything as it is in a fresh terminal. */
const FRESH = Uint8Array.of(0x1b, 0x63);

export interface ScreenOptions {
  host: HTMLElement;
  /** Null: what is typed is for nobody. */
  typed: ((bytes: Uint8Array) => void) | null;
  /** Whoever sends what is printed is told when it is too much, and when there is room again; null: nobody sends more than is asked for. */
  tooMuch: ((isTooMuch: boolean) => void) | null;
}

export class Screen {
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  readonly #host: HTMLElement;
  readonly #ends: (() => void)[] = [];
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isFeeding = false;
  #isTooMuch = false;
  readonly #tooMuch: (isTooMuch: boolean) => void;
  #usual = { width: 8.4, height: 20 };
  readonly #panning: Panning;
  /** For what the letters were chosen. */
  #chosenFor = "";

  constructor({ host, typed, tooMuch }: ScreenOptions) {
    this.#host = host;
    this.#tooMuch = tooMuch ?? (() => {});
    const terminal = new Terminal({
      fontFamily: FONT,
      fontSize: FONT_SIZE,
      lineHeight: LINE_HEIGHT,
      theme: PALETTES[theme.peek()],
      cursorBlink: typed !== null && !matchMedia("(prefers-reduced-motion: reduce)").matches,
      scrollback: 5000,
      allowProposedApi: true,
      disableStdin: typed === null,
      screenReaderMode: isReadAloud.peek(),
      minimumContrastRatio: 1,
      linkHandler: { activate: followLink },
      overviewRuler: { width: SCROLLBAR },
      // A bold green is green: as tmux has it, and most others.
      drawBoldTextInBrightColors: false,
    });
    this.terminal = terminal;
    terminal.loadAddon(this.search);
    terminal.open(host);
    this.#panning = new Panning(host, terminal);
    this.#accelerate();
    this.#usual = this.#cell();
    if (typed !== null) {
      // Below the last row, too, where one that is drawn smaller leaves room.
      const focus = (): void => {
        if (!terminal.hasSelection()) terminal.focus();
      };
      host.addEventListener("click", focus);
      this.#ends.push(() => host.removeEventListener("click", focus));
      terminal.onData((text) => typed(new TextEncoder().encode(text)));
      terminal.onBinary((text) => typed(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    }
    // The session's holder answers what a program asks of its terminal; an answer of ours would be typed.
    for (const id of [{ final: "c" }, { prefix: ">", final: "c" }, { prefix: "=", final: "c" }, { final: "n" }, { prefix: "?", final: "n" }])
      terminal.parser.registerCsiHandler(id, () => true);
    this.#ends.push(
      effect(() => void (terminal.options.theme = PALETTES[theme.value])),
      effect(() => void (terminal.options.screenReaderMode = isReadAloud.value)),
    );
  }

  get isShown(): boolean {
    return this.#host.closest(".away") === null;
  }

  /** How many cells fit at the usual size. */
  get fitting(): { cols: number; rows: number } {
    // Cells are of whole pixels: what one that is drawn smaller measures says little of the usual one.
    if (this.terminal.options.lineHeight === LINE_HEIGHT) this.#usual = this.#cell();
    const { width, height } = this.#usual;
    const { offsetWidth, offsetHeight } = this.#host;
    return {
      cols: Math.max(2, Math.floor((offsetWidth - SCROLLBAR) / width)),
      rows: Math.max(1, Math.floor(offsetHeight / height)),
    };
  }

  /** The session's size; what is larger than the place for it is drawn in smaller letters. */
  resize(cols: number, rows: number): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
    this.scale();
  }

  scale(): void {
    const { offsetWidth, offsetHeight } = this.#host;
    if (offsetWidth === 0) return; // it is not on the page now
    const { cols, rows } = this.terminal;
    const what = [cols, rows, offsetWidth, offsetHeight, devicePixelRatio].join(" ");
    if (what !== this.#chosenFor) this.#choose();
    this.#chosenFor = what;
    this.#panning.measure(this.#size(), SCROLLBAR);
  }

  /** Whether all of it can be seen at once. */
  get isWhole(): boolean {
    return !this.#panning.isPanned;
  }

  /** The largest letters in which all of it fits. Cells are of whole pixels, so that nothing but a look tells which these are. */
  #choose(): void {
    const { offsetWidth, offsetHeight } = this.#host;
    const isFitting = (fontSize: number, lineHeight: number): boolean => {
      this.#draw(fontSize, lineHeight);
      const { width, height } = this.#size();
      return width <= offsetWidth && height <= offsetHeight;
    };
    if (isFitting(FONT_SIZE, LINE_HEIGHT)) return;
    let [low, high] = [0, FONTS.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isFitting(FONTS[middle] ?? LEAST_FONT, LEAST_LINE_HEIGHT)) high = middle;
      else low = middle + 1;
    }
    this.#draw(FONTS[low] ?? LEAST_FONT, LEAST_LINE_HEIGHT);
  }

  #draw(fontSize: number, lineHeight: number): void {
    this.terminal.options.lineHeight = lineHeight;
    this.terminal.options.fontSize = fontSize;
  }

  /**
   * What is printed now. What comes alone, such as a key's echo, is drawn at once; of a flood so much a frame that the page has time for everything else, and
   * whoever sends it is told when that is too much, and when there is room again.
   */
  feed(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MOST_WAITING) this.#tell(true);
    if (!this.#isFeeding) void this.#feed();
  }

  async #feed(): Promise<void> {
    this.#isFeeding = true;
    while (this.#waiting.length > 0) {
      let taken = 0;
      let written = Promise.resolve();
      for (let next = this.#waiting[0]; next !== undefined && taken < FRAME_BYTES; next = this.#waiting[0]) {
        this.#waiting.shift();
        taken += next.length;
        written = this.write(next);
      }
      this.#waitingBytes -= taken;
      await written;
      if (this.#waitingBytes < FRAME_BYTES) this.#tell(false);
      if (this.#waiting.length > 0) await nextFrame();
    }
    this.#isFeeding = false;
  }

  #tell(isTooMuch: boolean): void {
    if (this.#isTooMuch === isTooMuch) return;
    this.#isTooMuch = isTooMuch;
    this.#tooMuch(isTooMuch);
  }

  /**
   * The screen that was shown before is replaced, in one write: there is no moment at which nothing is shown. What is above it goes with it, or is kept: a replay
   * brings that along once, and not each time that the size changes.
   */
  show(bytes: Uint8Array, size: { cols: number; rows: number }, above: "replaced" | "kept"): Promise<void> {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#tell(false); // what was too much is gone, and nobody comes past it any more
    const begin = above === "kept" ? new Uint8Array() : FRESH;
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
    for (const end of this.#ends) end();
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

  /** Where there is no WebGL, or it is lost, xterm draws by itself. */
  #accelerate(): void {
    try {
      const webgl = new WebglAddon();
      webgl.onContextLoss(() => {
        webgl.dispose();
        this.terminal.options.minimumContrastRatio = 1;
        this.#chosenFor = ""; // its cells are others
        this.scale();
      });
      this.terminal.loadAddon(webgl);
      // Bold black on black, which htop likes, would be nothing at all. Drawn as elements, inverse text would be made harder to read.
      this.terminal.options.minimumContrastRatio = LEAST_CONTRAST;
    } catch {
      // drawn as elements
    }
  }
}

/** What a program calls a link leads where it says itself: so the place is told first, and nothing but a page is opened. */
function followLink(event: MouseEvent, uri: string): void {
  if (!/^https?:\/\//i.test(uri)) tell("This link leads to no page", { hint: uri });
  else if (event.ctrlKey || event.metaKey) open(uri, "_blank", "noopener,noreferrer");
  else tell("Ctrl/Cmd and a click open this link", { hint: uri });
}

/** Also where nobody looks: there are no frames then. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === "hidden") setTimeout(resolve, 100);
    else requestAnimationFrame(() => resolve());
  });
}
