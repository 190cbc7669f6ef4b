/**
 * The inside of @xterm/headless, as far as it is used. Its public face writes only after a turn of the event loop, shows
 * neither underline styles nor saved cursors, and cannot be told apart from a finished state in the middle of a sequence;
 * the core can. The version is pinned, and what is named here is looked for when a core is opened, so that a newer version
 * that lacks it fails at once and says what is gone.
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

/** Only its identity matters. */
export type Charset = object | undefined;

export interface InputHandler {
  readonly _parser: {
    /** 0 between sequences. */
    currentState: number;
    /** Not 0 right after a printed character: what a combining mark joins and what REP repeats. */
    precedingJoinState: number;
    readonly _oscParser: { reset(): void };
    readonly _dcsParser: { reset(): void };
    /** By the private marker, shifted by 8, and the final byte; the last is asked first, until one says true. */
    readonly _csiHandlers: Record<number, ((parameters: Parameters) => unknown)[] | undefined>;
    readonly _escHandlers: Record<number, (() => unknown)[] | undefined>;
    readonly _params: Parameters & { reset(): void; addParam(value: number): void };
    /** Given the code points of a run of text, from the first to before the last. */
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
  /** Acts on the text before it returns. */
  parse(text: string): void | Promise<boolean>;
  saveCursor(): boolean;
  restoreCursor(): boolean;
  selectCharset(collected: string): boolean;
  eraseInDisplay(parameters: Parameters, selective: boolean): boolean;
  eraseInLine(parameters: Parameters, selective: boolean): boolean;
  lineFeed(): boolean;
  backspace(): boolean;
  tab(): boolean;
  /** How what is erased now will look. */
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
  /** The first line of the screen among `lines`. */
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Record<number, boolean | undefined>;
  savedX: number;
  /** Among `lines`, not on the screen. */
  savedY: number;
  readonly savedCurAttrData: Attributes;
  readonly savedCharset: Charset;
  readonly _memoryCleanupQueue: { clear(): void };
  readonly lines: { readonly length: number; maxLength: number; get(index: number): CoreLine | undefined };
}

export interface CoreLine {
  /** Three numbers a cell. */
  readonly _data: Uint32Array;
  readonly length: number;
  isWrapped: boolean;
  loadCell(column: number, cell: CoreCell): CoreCell;
  /** To fewer columns nothing is needed to fill it. */
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

/** The type is 0 for a report, 1 for a change and 2 for a return to the default; 256 to 258 are text, ground and cursor. */
export interface ColorChange {
  type: 0 | 1 | 2;
  index?: number;
  color?: [number, number, number];
}

export interface OpenCore {
  core: Core;
  /** A cell to load others into. */
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
    // Answers come from emulator-answers.ts, and only when they are asked for.
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

/** Where what is used lies, as far as it is more than a plain public member. */
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
      throw new Error(`@xterm/headless is not the version that holt knows: no ${path}.${missing}`);
  }
}
