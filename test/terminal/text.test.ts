import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { MAX_LINE } from "../../src/terminal/text/line-cells.ts";
import { MAX_STRING } from "../../src/terminal/parser/escape-parser.ts";
import { TextView, renderText } from "../../src/terminal/text/text-view.ts";
import { Utf8Decoder } from "../../src/terminal/parser/utf8-decoder.ts";
import { inPieces } from "./in-pieces.ts";

const ESC = "\x1b";

/** Bytes from a string of code units. */
const text = (bytes: string): string => renderText(Buffer.from(bytes, "latin1"));
const utf8 = (characters: string): string => renderText(Buffer.from(characters));

describe("Escape sequences are removed", () => {
  test.each([
    ["colours", `${ESC}[1;31mred${ESC}[0m plain`, "red plain"],
    ["colours with colons", `${ESC}[38:2::255:0:0mred${ESC}[m`, "red"],
    ["private modes", `${ESC}[?1049h${ESC}[?25lhidden cursor${ESC}[?25h`, "hidden cursor"],
    ["queries", `${ESC}[c${ESC}[6n${ESC}[>0qdone`, "done"],
    ["a title that ends with BEL", `${ESC}]0;owned\x07text`, "text"],
    ["a title that ends with ST", `${ESC}]0;owned${ESC}\\text`, "text"],
    ["a clipboard write", `${ESC}]52;c;ZXZpbA==\x07text`, "text"],
    ["a hyperlink", `${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
    ["a device control string with line feeds", `${ESC}Pq#0\n~~@@\x07vv${ESC}\\text`, "text"],
    ["APC, PM and SOS", `${ESC}_Gf=100;AAAA${ESC}\\a${ESC}^pm${ESC}\\b${ESC}Xsos${ESC}\\c`, "abc"],
    ["the title of screen", `${ESC}kbash${ESC}\\$ ls`, "$ ls"],
    ["single shifts with the character they shift", `a${ESC}Nb${ESC}Oc`, "a"],
    ["character sets", `${ESC}(0lqk${ESC}(B${ESC}%G text`, "lqk text"],
    ["keypad modes and resets", `${ESC}=${ESC}>${ESC}c${ESC}7${ESC}8text`, "text"],
    ["a sequence cut off by another", `${ESC}[31${ESC}[32mtext`, "text"],
    ["a sequence cancelled by CAN and SUB", `${ESC}[31\x18a${ESC}]0;x\x1ab`, "ab"],
    ["a CSI with more parameters than anybody means", `${ESC}[${"1;".repeat(100)}mtext`, "text"],
    ["8-bit CSI as a raw byte", "\x9b31mred\x9bm", "red"],
    ["8-bit OSC and ST as raw bytes", "\x9d0;owned\x9ctext", "text"],
    ["8-bit CSI as U+009B", "\xc2\x9b31mred", "red"],
    ["8-bit OSC and ST as U+009D and U+009C", "\xc2\x9d0;owned\xc2\x9ctext", "text"],
    ["8-bit DCS, SOS, PM, APC", "\x90a\x9c1\x98b\x9c2\x9ec\x9c3\x9fd\x9c4", "1234"],
    ["bells, shifts, NULs and DEL", "a\x07b\x0e\x0fc\0d\x7fe\x0b\x0cf", "abcdef"],
    ["an unfinished sequence at the end", `text${ESC}[31`, "text"],
    ["a lone ESC at the end", `text${ESC}`, "text"],
  ])("%s", (_what, input, output) => {
    expect(text(input)).toBe(output);
  });

  test("A control character inside a CSI still acts, as on a terminal.", () => {
    expect(text(`a${ESC}[3\n1mb`)).toBe("a\nb");
  });

  test("A byte inside a character is not taken for a control: ✜ is E2 9C 9C, and 9C would end the title.", () => {
    expect(utf8(`${ESC}]0;✜ owned\x07text`)).toBe("text");
  });

  test("A character that cannot be in a sequence ends it and is kept.", () => {
    expect(utf8(`${ESC}[3é${ESC}(ü`)).toBe("éü");
  });

  test("A title that is never ended does not swallow the lines after it.", () => {
    expect(text(`before${ESC}]0;oops\nafter\n`)).toBe("before\nafter\n");
    expect(text("smart \x90quotes\nafter\n")).toBe("smart \nafter\n");
  });

  test("An endless device control string is given up at its limit.", () => {
    const view = new TextView();
    let out = view.push(Buffer.from(`${ESC}P`));
    const block = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent < MAX_STRING; sent += block.length) out += view.push(block);
    expect(out).toBe("");
    expect(view.push(Buffer.from("text\n"))).toBe("text\n");
  });
});

describe("A line shows its last state", () => {
  test.each([
    ["CR LF is a line end", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["a doubled CR too", "one\r\r\ntwo", "one\ntwo"],
    ["a progress bar", " 10%\r 50%\r100%\n", "100%\n"],
    ["a shorter text over a longer one", "downloading\rdone\n", "doneloading\n"],
    ["the same with an erased line", `downloading\r${ESC}[Kdone\n`, "done\n"],
    ["the same, erased whole", `downloading${ESC}[2K\rdone\n`, "done\n"],
    ["the same, blanked with spaces", "downloading\r           \rdone\n", "done\n"],
    ["a bar that is not finished yet", " 10%\r 50%", " 50%"],
    ["a bar that was cut right after its return", " 10%\r", " 10%"],
    ["a spinner", "-\b\\\b|\b/\bok\n", "ok\n"],
    ["bold by overstriking", "N\bNA\bAM\bME\bE\n", "NAME\n"],
    ["underlined by overstriking, either way round", "_\bn_\ba m\b_e\b_\n", "na me\n"],
    ["a typed character taken back", "lsx\b \b -l\n", "ls -l\n"],
    ["a backspace at the start", "\b\bab\n", "ab\n"],
    ["an inserted character", `hllo\b\b\b${ESC}[@e\n`, "hello\n"],
    ["a deleted character", `heello\r${ESC}[2C${ESC}[P\n`, "hello\n"],
    ["erased characters", `hello\r${ESC}[2Xx\n`, "x llo\n"],
    ["erased up to the cursor", `hello${ESC}[3D${ESC}[1K\n`, "   lo\n"],
    ["a move to a column", `abc${ESC}[10Gd\n`, "abc      d\n"],
    ["a tab is kept", "a\tb\n", "a\tb\n"],
    ["a tab over text only moves", "0123456789\r\tX\n", "01234567X9\n"],
    ["text over a tab", "a\tb\rxyz\n", "xyz     b\n"],
    ["blanks at the end of a line that was only printed", "text  \n", "text  \n"],
  ])("%s", (_what, input, output) => {
    expect(text(input)).toBe(output);
  });

  test("Wide characters take two columns, and half of one is none.", () => {
    expect(utf8("日本\rab\n")).toBe("ab本\n");
    expect(utf8("日本\rabc\n")).toBe("abc\n");
    expect(utf8("日本\b\bx\n")).toBe("日x\n");
  });

  test("Combining marks stay with their letter.", () => {
    expect(utf8("xe\u0301\r_\n")).toBe("_e\u0301\n");
    expect(utf8("a\re\u0301\n")).toBe("e\u0301\n");
  });

  test("A move to another row ends the line; one within the row does not.", () => {
    expect(text(`one${ESC}[5;1Htwo${ESC}[5;9Hthree`)).toBe("one\ntwo     three");
    expect(text(`${ESC}[2J${ESC}[Hhello\n`)).toBe("hello\n");
    expect(text(`bar1 10%\nbar2 10%${ESC}[A\rbar1 20%${ESC}[B\rbar2 20%`)).toBe(
      "bar1 10%\nbar2 10%\nbar1 20%\nbar2 20%",
    );
    expect(text(`a${ESC}Eb`)).toBe("a\nb");
  });

  test("Clearing the screen keeps the current line.", () => {
    expect(text(`secret${ESC}[2J${ESC}[Hafter`)).toBe("secret\nafter");
  });
});

describe("UTF-8", () => {
  test("Characters survive being cut anywhere.", () => {
    const bytes = Buffer.from("é日👍🏽\n");
    for (let cut = 0; cut <= bytes.length; cut++) expect(inPieces(bytes, [cut])).toBe("é日👍🏽\n");
  });

  test("Invalid UTF-8 is replaced as by the WHATWG decoder, except stray C1 bytes, which pass.", () => {
    const web = new TextDecoder("utf-8", { ignoreBOM: true });
    const withoutC1 = (decoded: string): string => decoded.replaceAll(/[\x80-\x9f]/g, "\ufffd");
    const piece = fc.constantFrom(..."\xe0\x80\xed\xa0\xf0\x8f\xf4\x90\xc2\xc0\xe6\x97\xa5\xff\xbfa".split(""));
    const broken = fc.array(piece, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(""), "latin1"));
    fc.assert(
      fc.property(fc.oneof(broken, fc.uint8Array()), (bytes) => {
        const decoder = new Utf8Decoder();
        let decoded = "";
        const emit = (codePoint: number): void => void (decoded += String.fromCodePoint(codePoint));
        for (const byte of bytes) decoder.push(byte, emit);
        decoder.end(emit);
        expect(withoutC1(decoded)).toBe(withoutC1(web.decode(bytes)));
      }),
      { numRuns: 3000 },
    );
  });

  test("A broken character shows, and the text after it stays.", () => {
    expect(text("a\xffb")).toBe("a\ufffdb");
    expect(text("\xe6\x97x")).toBe("\ufffdx");
    expect(text("end \xe6\x97")).toBe("end \ufffd");
  });
});

describe("Memory is bounded", () => {
  test("A line without end is emitted in pieces, complete.", () => {
    const view = new TextView();
    let length = 0;
    for (let round = 0; round < 100; round++) length += view.push(Buffer.alloc(10_000, "x")).length;
    expect(length).toBeGreaterThan(1_000_000 - MAX_LINE - 1);
    expect(length + view.end().length).toBe(1_000_000);
  });

  test("A return to the start of a line that long starts a new one; a line end after it does not.", () => {
    const long = "x".repeat(MAX_LINE + 10);
    expect(text(`${long}\rover\n`)).toBe(`${long}\nover\n`);
    expect(text(`${long}\r\nnext\n`)).toBe(`${long}\nnext\n`);
  });

  test("Endless marks on one letter are cut.", () => {
    expect(utf8(`a\be${"\u0301".repeat(10_000)}\n`).length).toBeLessThan(100);
  });

  test("A sequence with endless parameters is skipped and does nothing.", () => {
    expect(text(`abc${ESC}[2${";0".repeat(10_000)}Kdef\n`)).toBe("abcdef\n");
  });

  test("Moves and insertions cannot grow a line without bound.", () => {
    expect(text(`${ESC}[9999Gx${`${ESC}[1G${ESC}[9999@`.repeat(50)}\n`).length).toBeLessThanOrEqual(MAX_LINE + 1);
  });
});

describe("Watching an unfinished line", () => {
  test("It is shown as it grows, and again below when it changes.", () => {
    const view = new TextView();
    expect(view.push(Buffer.from("Password: "))).toBe("");
    expect(view.flush()).toBe("Password: ");
    expect(view.flush()).toBe("");
    expect(view.push(Buffer.from("ok\n"))).toBe("ok\n");
    expect(view.push(Buffer.from("10%"))).toBe("");
    expect(view.flush()).toBe("10%");
    expect(view.push(Buffer.from("\r20%"))).toBe("");
    expect(view.flush()).toBe("\n20%");
    expect(view.push(Buffer.from("\n"))).toBe("\n");
  });
});
