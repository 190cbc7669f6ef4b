/**
 * Random output that no program writes: sequences of every kind, text of every width, and bytes
 * that are neither.
 */
import * as fc from "fast-check";

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(24, 25, 80, 255, 9999, 2147483647, 99999999999) },
);
const parameters = fc.array(number, { maxLength: 3 }).map((values) => values.join(";"));

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "wide 漢字",
    "e\u0301",
    "\u0301",
    "👩‍👩‍👧",
    "❤️",
    "한글",
    "\u200d",
    "ﬁ",
    "🇩🇪",
    "ab\u0300\u0301c",
    "￼",
    "─│┌",
    "a".repeat(30),
  ),
);

const control = fc.constantFrom("\r\n", "\n", "\r", "\t", "\b", "\x0e", "\x0f", "\x07", "\x0b", "\x7f", "\x18", "\0");
const cursor = fc
  .tuple(parameters, fc.constantFrom(..."ABCDEFGHIZ`adefs".split("")))
  .map(([values, final]) => `\x1b[${values}${final}`);
const edit = fc
  .tuple(parameters, fc.constantFrom(..."@JKLMPXbgr".split("")))
  .map(([values, final]) => `\x1b[${values}${final}`);
/**
 * Only from the left margin: a scroll under a pending wrap cannot be replayed exactly (see
 * CellReader).
 */
const scroll = fc.tuple(number, fc.constantFrom("S", "T")).map(([count, final]) => `\r\x1b[${count}${final}`);
const selective = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(..."JK".split("")))
  .map(([n, final]) => `\x1b[?${n}${final}`);
const ansiModes = fc
  .tuple(fc.constantFrom(4, 20), fc.constantFrom("h", "l"))
  .map(([mode, set]) => `\x1b[${mode}${set}`);
/**
 * Not mode 7: without wraparound, xterm joins marks after a character that did not fit to whatever
 * was before.
 */
const PRIVATE_MODES = [1, 2, 5, 6, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1048];
const privateModes = fc
  .tuple(
    fc.array(fc.constantFrom(...PRIVATE_MODES, 1049, 1049, 2004), { minLength: 1, maxLength: 2 }),
    fc.constantFrom("h", "l"),
  )
  .map(([modes, set]) => `\x1b[?${modes.join(";")}${set}`);
const SGR = [
  "",
  "0",
  "1",
  "2",
  "3",
  "4",
  "4:0",
  "4:3",
  "5",
  "7",
  "8",
  "9",
  "21",
  "22",
  "24",
  "27",
  "31",
  "39",
  "42",
  "49",
  "53",
  "58:5:3",
  "59",
  "97",
  "103",
];
const style = fc
  .array(fc.constantFrom(...SGR, "38;5;200", "48;5;3", "38;2;1;2;3", "48;2;9;8;7", "58:2::1:2:3", "38:2::7:7:7"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((values) => `\x1b[${values.join(";")}m`);
const escapes = fc.constantFrom(
  "\x1b7",
  "\x1b8",
  "\x1bD",
  "\x1bE",
  "\x1bH",
  "\x1bM",
  "\x1b=",
  "\x1b>",
  "\x1bc",
  "\x1b#8",
  "\x1b(0",
  "\x1b)0",
  "\x1b(B",
  "\x1b(A",
  "\x1b)4",
  "\x1bn",
  "\x1b~",
);
const others = fc.constantFrom(
  '\x1b[1"q',
  '\x1b[0"q',
  "\x1b[!p",
  "\x1b[u",
  "\r\x1b[2 @",
  "\r\x1b[2 A",
  "\r\x1b[2'}",
  "\r\x1b[2'~",
  "\x1b[5 q",
  "\x1b[4 q",
  "\x1b[0 q",
  "\x1b[>1u",
  "\x1b[>5u",
  "\x1b[<u",
  "\x1b[=3;2u",
  "\x1b[>4;2m",
  "\x1b[>4m",
  "\x1b[22;0t",
  "\x1b[23;0t",
);
const queries = fc.constantFrom(
  "\x1b[6n",
  "\x1b[c",
  "\x1b[>c",
  "\x1b[?25$p",
  "\x1bP$qm\x1b\\",
  "\x1b]10;?\x07",
  "\x1b[18t",
  "\x1b[?u",
);
const strings = fc
  .tuple(
    fc.constantFrom(
      "]0;",
      "]2;",
      "]7;file://h/a%20b/",
      "]4;1;rgb:1/2/",
      "]10;#ff0",
      "]11;#00",
      "]104",
      "]8;;https://a.example/",
      "]8;id=x;https://b.example/",
      "]8;;",
      "]9;9;/tmp/",
      "]1337;CurrentDir=/x/",
      "]52;c;",
      "P+q",
      "P1$r",
      "_G",
      "^",
      "X",
      "kname",
    ),
    fc.constantFrom("", "title", "0", "00", "zoë"),
    fc.constantFrom("\x07", "\x1b\\", "\x9c", "\x18"),
  )
  .map(([open, data, end]) => `\x1b${open}${data}${end}`);

const encoder = new TextEncoder();
const raw = fc.uint8Array({ maxLength: 6 });

/** Pieces of one stream of output. */
export const soup = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: text },
      { weight: 4, arbitrary: control },
      { weight: 4, arbitrary: cursor },
      { weight: 4, arbitrary: edit },
      { weight: 1, arbitrary: selective },
      { weight: 1, arbitrary: scroll },
      { weight: 1, arbitrary: ansiModes },
      { weight: 3, arbitrary: privateModes },
      { weight: 4, arbitrary: style },
      { weight: 2, arbitrary: escapes },
      { weight: 1, arbitrary: others },
      { weight: 1, arbitrary: queries },
      { weight: 2, arbitrary: strings },
      { weight: 1, arbitrary: raw },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece))));

export const size = fc.record({ cols: fc.integer({ min: 2, max: 40 }), rows: fc.integer({ min: 1, max: 12 }) });
