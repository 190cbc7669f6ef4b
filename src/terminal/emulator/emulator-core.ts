/**
 * Types of the internals of @xterm/headless that holt uses. The public API writes only after a turn
 * of the event loop, shows neither underline styles nor saved cursors, and does not reveal
 * unfinished sequences. The version is pinned, and openCore() checks every member named here, so an
 * incompatible version fails at once.
 */
import { type IDisposable, Terminal } from "@xterm/headless";
import { guardLines } from "./emulator-guards.ts";
import { widthsFor } from "./emulator-widths.ts";

export interface Core {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: { readonly normal: CoreBuffer; readonly alt: CoreBuffer; readonly active: CoreBuffer };
  readonly coreService: {
    isCursorHidden: boolean;
    readonly modes: { insertMode: boolean };
    readonly decPrivateModes: {
      applicationCursorKeys: boolean;
      applicationKeypad: boolean;
      bracketedPasteMode: boolean;
      cursorBlink: boolean | undefined;
      cursorStyle: "block" | "underline" | "bar" | undefined;
      origin: boolean;
      reverseWraparound: boolean;
      sendFocus: boolean;
      synchronizedOutput: boolean;
      wraparound: boolean;
    };
  };
  readonly coreMouseService: { readonly activeProtocol: "NONE" | "X10" | "VT200" | "DRAG" | "ANY" };
  readonly optionsService: { readonly options: { convertEol: boolean; cursorBlink: boolean } };
  readonly _charsetService: { charset: Charset; glevel: number; _charsets: Charset[] };
  readonly _inputHandler: InputHandler;
  registerCsiHandler(id: FunctionId, handler: (parameters: Parameters) => boolean): IDisposable;
  registerEscHandler(id: FunctionId, handler: () => boolean): IDisposable;
  registerOscHandler(number: number, handler: (data: string) => boolean): IDisposable;
  resize(cols: number, rows: number): void;
  dispose(): void;
}

export interface FunctionId {
  prefix?: string;
  intermediates?: string;
  final: string;
}

export interface Parameters {
  readonly params: Int32Array;
  readonly length: number;
}

/** Only compared by identity. */
export type Charset = object | undefined;

export interface InputHandler {
  readonly _parser: {
    /** 0 is the ground state. */
    currentState: number;
    /**
     * Not 0 right after a printed character: the state that a combining mark joins and REP repeats.
     */
    precedingJoinState: number;
    readonly _oscParser: { reset(): void };
    readonly _dcsParser: { reset(): void };
    /**
     * Keyed by private marker << 8 | final byte. The last handler runs first, until one returns
     * true.
     */
    readonly _csiHandlers: Record<number, ((parameters: Parameters) => unknown)[] | undefined>;
    readonly _escHandlers: Record<number, (() => unknown)[] | undefined>;
    readonly _params: Parameters & { reset(): void; addParam(value: number): void };
    /** Receives the code points of a run of text, `to` excluded. */
    _printHandler: (codes: Uint32Array, from: number, to: number) => void;
    reset(): void;
  };
  readonly _activeBuffer: CoreBuffer;
  readonly _bufferService: {
    readonly cols: number;
    readonly rows: number;
    scroll(erase: Attributes, isWrapped: boolean): void;
  };
  readonly _charsetService: { readonly charset: Charset };
  readonly _coreService: Core["coreService"];
  readonly _curAttrData: Attributes;
  readonly _windowTitleStack: string[];
  readonly onColor: (listener: (changes: ColorChange[]) => void) => IDisposable;
  readonly onTitleChange: (listener: (title: string) => void) => IDisposable;
  /** Synchronous: the text has taken effect on return. */
  parse(text: string): void | Promise<boolean>;
  saveCursor(): boolean;
  restoreCursor(): boolean;
  selectCharset(collected: string): boolean;
  eraseInDisplay(parameters: Parameters, selective: boolean): boolean;
  eraseInLine(parameters: Parameters, selective: boolean): boolean;
  lineFeed(): boolean;
  backspace(): boolean;
  tab(): boolean;
  /** Attributes of cells erased now. */
  _eraseAttrData(): Attributes;
}

export interface Attributes {
  fg: number;
  bg: number;
  extended: Extended;
  updateExtended(): void;
}

export interface Extended {
  _ext: number;
  urlId: number;
  clone(): Extended;
}

export interface CoreBuffer {
  x: number;
  y: number;
  /** Index of the screen's first line in `lines`. */
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Record<number, boolean | undefined>;
  savedX: number;
  /** An index into `lines`, not a row of the screen. */
  savedY: number;
  readonly savedCurAttrData: Attributes;
  readonly savedCharset: Charset;
  readonly _memoryCleanupQueue: { clear(): void };
  readonly lines: { readonly length: number; maxLength: number; get(index: number): CoreLine | undefined };
}

export interface CoreLine {
  /** Three numbers per cell. */
  readonly _data: Uint32Array;
  readonly length: number;
  isWrapped: boolean;
  loadCell(column: number, cell: CoreCell): CoreCell;
  /** Shrinking needs no fill cell. */
  resize(cols: number, fill: undefined): boolean;
  cleanupMemory(): number;
  isCombined(column: number): number;
  getString(column: number): string;
  setCellFromCodepoint(column: number, codePoint: number, width: number, attributes: Attributes): void;
  addCodepointToCell: (this: CoreLine, column: number, codePoint: number, width: number) => void;
}

export interface CoreCell {
  readonly content: number;
  readonly fg: number;
  readonly bg: number;
  readonly extended: Extended;
  getWidth(): number;
  getChars(): string;
}

/**
 * `type`: 0 report, 1 change, 2 reset to the default. `index` 256 to 258: foreground, background,
 * cursor.
 */
export interface ColorChange {
  type: 0 | 1 | 2;
  index?: number;
  color?: [number, number, number];
}

export interface OpenCore {
  core: Core;
  /** Scratch cell for loadCell(). */
  cell: CoreCell;
}

export function openCore({ cols, rows, scrollback }: { cols: number; rows: number; scrollback: number }): OpenCore {
  const terminal = new Terminal({
    cols,
    rows,
    scrollback,
    allowProposedApi: true,
    logLevel: "off",
    windowOptions: { pushTitle: true, popTitle: true },
    // emulator-answers.ts answers queries, on request only.
    disableStdin: true,
  });
  const { _core: core } = terminal as unknown as { _core: Core };
  assertKnown(core);
  const widths = widthsFor(() => core.buffers.active.x);
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  guardLines(core);
  return { core, cell: terminal.buffer.active.getNullCell() as unknown as CoreCell };
}

/** Internal members in use: path and names. */
const USED = [
  "_inputHandler: parse onColor onTitleChange saveCursor restoreCursor selectCharset eraseInDisplay eraseInLine",
  "_inputHandler: _windowTitleStack _curAttrData _activeBuffer lineFeed backspace tab _eraseAttrData",
  "_inputHandler._bufferService: cols rows scroll",
  "_inputHandler._charsetService: glevel",
  "_inputHandler._coreService: modes decPrivateModes",
  "_inputHandler._curAttrData.extended: _ext urlId clone",
  "_inputHandler._parser: currentState precedingJoinState reset _csiHandlers _escHandlers _params _printHandler",
  "_inputHandler._parser._params: params length reset addParam",
  "_inputHandler._parser._oscParser: reset",
  "_inputHandler._parser._dcsParser: reset",
  "_charsetService: glevel _charsets",
  "coreService: isCursorHidden modes decPrivateModes",
  "coreMouseService: activeProtocol",
  "optionsService.options: convertEol cursorBlink",
  "buffers.normal: x y ybase scrollTop scrollBottom tabs savedX savedY savedCurAttrData _memoryCleanupQueue lines",
];

function assertKnown(core: unknown): void {
  const member = (owner: unknown, name: string): unknown => (owner as Record<string, unknown> | undefined)?.[name];
  for (const entry of USED) {
    const [path = "", names = ""] = entry.split(": ");
    const owner = path.split(".").reduce(member, core);
    const missing = names.split(" ").find((name) => member(owner, name) === undefined);
    if (missing !== undefined)
      throw new Error(`@xterm/headless has an unsupported version: ${path}.${missing} is missing`);
  }
}
