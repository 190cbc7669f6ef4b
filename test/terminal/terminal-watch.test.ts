import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import * as fc from "fast-check";
import { DEFAULT_MODES, type Modes } from "../../src/protocol/types/modes.ts";
import { colorsFrom } from "../../src/terminal/queries/reported-colors.ts";
import type { StateQuery } from "../../src/terminal/queries/state-query.ts";
import { TerminalWatch } from "../../src/terminal/queries/terminal-watch.ts";
import { chunksOf, cuts, streams } from "../support/streams.ts";

function watched(chunks: readonly Uint8Array[], colorfgbg?: string) {
  const queries: (string | StateQuery)[] = [];
  const ends: number[] = [];
  const titles: string[] = [];
  const directories: string[] = [];
  const bells: number[] = [];
  const changes: Modes[] = [];
  const watch = new TerminalWatch(
    {
      query: (query) => {
        ends.push(query.end);
        queries.push("answer" in query ? Buffer.from(query.answer).toString() : query.state);
      },
      modesChanged: (modes) => changes.push(modes),
      title: (title) => titles.push(title),
      cwd: (cwd) => directories.push(cwd),
      bell: (cursor) => bells.push(cursor),
    },
    { colors: colorsFrom(colorfgbg), version: "1.2.3" },
  );
  let cursor = 0;
  for (const chunk of chunks) {
    watch.push(cursor, chunk);
    cursor += chunk.length;
  }
  const { modes, title, cwd, boundary } = watch;
  return { queries, ends, titles, directories, bells, changes, modes, title, cwd, boundary };
}
const of = (text: string, colorfgbg?: string) => watched([Buffer.from(text)], colorfgbg);

const ANSWERS: Record<string, string> = {
  "\x1b[c": "\x1b[?62;22c",
  "\x1b[0c": "\x1b[?62;22c",
  "\x1bZ": "\x1b[?62;22c",
  "\x1b[>c": "\x1b[>1;388;0c",
  "\x1b[=c": "\x1bP!|00000000\x1b\\",
  "\x1b[5n": "\x1b[0n",
  "\x1b[?15n": "\x1b[?13n",
  "\x1b[?25n": "\x1b[?20n",
  "\x1b[?26n": "\x1b[?27;1;0;0n",
  "\x1b[?996n": "\x1b[?997;1n",
  "\x1b[>0q": "\x1bP>|holt(1.2.3)\x1b\\",
  "\x1b[?u": "\x1b[?0u",
  "\x1b[?2004$p": "\x1b[?2004;2$y",
  "\x1b[?25$p": "\x1b[?25;1$y",
  "\x1b[?2048$p": "\x1b[?2048;0$y",
  "\x1b[?2026$p": "\x1b[?2026;2$y",
  "\x1b[?2026h\x1b[?2026$p": "\x1b[?2026;1$y",
  "\x1bP+q544e\x1b\\": "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\",
  "\x1bP+q436f;524742;6b75\x1b\\": "\x1bP1+r436f=323536\x1b\\\x1bP1+r524742=382F382F38\x1b\\\x1bP0+r6b75\x1b\\",
  "\x1b]10;?\x07": "\x1b]10;rgb:e5e5/e5e5/e5e5\x07",
  "\x1b]11;?\x1b\\": "\x1b]11;rgb:0000/0000/0000\x1b\\",
  "\x1b]12;?\x07": "\x1b]12;rgb:e5e5/e5e5/e5e5\x07",
  "\x1b]4;208;?\x07": "\x1b]4;208;rgb:ffff/8787/0000\x07",
  "\x1b]4;244;?\x07": "\x1b]4;244;rgb:8080/8080/8080\x07",
};

for (const [question, answer] of Object.entries(ANSWERS)) {
  test(`${JSON.stringify(question)} is answered ${JSON.stringify(answer)}`, () => {
    const { queries, ends } = of(`x${question}y`);
    expect(queries).toEqual([answer]);
    expect(ends).toEqual([1 + question.length]);
  });
}

const STATES: Record<string, StateQuery> = {
  "\x1b[6n": { kind: "cursor_position", isPrivate: false },
  "\x1b[?6n": { kind: "cursor_position", isPrivate: true },
  "\x1b[4$p": { kind: "mode", isPrivate: false, mode: 4 },
  "\x1b[?7$p": { kind: "mode", isPrivate: true, mode: 7 },
  "\x1bP$qm\x1b\\": { kind: "setting", setting: "m" },
  "\x1bP$q q\x1b\\": { kind: "setting", setting: " q" },
  "\x1b[14t": { kind: "size", what: "pixels" },
  "\x1b[16t": { kind: "size", what: "cell_pixels" },
  "\x1b[18t": { kind: "size", what: "cells" },
  "\x1b[19t": { kind: "size", what: "screen_cells" },
};

for (const [question, state] of Object.entries(STATES)) {
  test(`${JSON.stringify(question)} needs the state`, () => expect(of(question).queries).toEqual([state]));
}

for (const silent of [
  "\x05",
  "\x1b]52;c;?\x07",
  "\x1b[21t",
  "\x1b[20t",
  "\x1b_Gi=1,a=q;AAAA\x1b\\",
  "\x1b[1c",
  "\x1b[?1?6n",
]) {
  test(`${JSON.stringify(silent)} is not answered`, () => expect(of(silent).queries).toEqual([]));
}

test("several colours queried in one string get one answer each, including colours set by the program", () => {
  expect(of("\x1b]4;0;?;1;?\x07").queries).toEqual([
    "\x1b]4;0;rgb:0000/0000/0000\x07",
    "\x1b]4;1;rgb:cdcd/0000/0000\x07",
  ]);
  expect(of("\x1b]10;?;?\x07").queries).toEqual(["\x1b]10;rgb:e5e5/e5e5/e5e5\x07", "\x1b]11;rgb:0000/0000/0000\x07"]);
  expect(of("\x1b]11;#ffffff\x07\x1b]11;?\x07\x1b[?996n\x1b]111\x07\x1b]11;?\x07").queries).toEqual([
    "\x1b]11;rgb:ffff/ffff/ffff\x07",
    "\x1b[?997;2n",
    "\x1b]11;rgb:0000/0000/0000\x07",
  ]);
  expect(of("\x1b]4;7;rgb:12/34/56\x07\x1b]4;7;?\x07\x1b]104;7\x07\x1b]4;7;?\x07").queries).toEqual([
    "\x1b]4;7;rgb:1212/3434/5656\x07",
    "\x1b]4;7;rgb:e5e5/e5e5/e5e5\x07",
  ]);
});

test("the first colours come from COLORFGBG", () => {
  expect(of("\x1b]10;?\x07\x1b]11;?\x07\x1b[?996n", "0;15").queries).toEqual([
    "\x1b]10;rgb:0000/0000/0000\x07",
    "\x1b]11;rgb:ffff/ffff/ffff\x07",
    "\x1b[?997;2n",
  ]);
  expect(colorsFrom("12;default;8").background).toEqual([0x7f, 0x7f, 0x7f]);
  for (const none of [undefined, "", "7", "x;y", "99;-1", "3;3"]) expect(colorsFrom(none)).toEqual(colorsFrom("7;0"));
});

test("kitty's keyboard flags are kept for each screen", () => {
  const asked = (text: string) => of(`${text}\x1b[?u`).queries.at(-1);
  expect(asked("\x1b[>1u")).toBe("\x1b[?1u");
  expect(asked("\x1b[>1u\x1b[>5u")).toBe("\x1b[?5u");
  expect(asked("\x1b[>1u\x1b[>5u\x1b[<u")).toBe("\x1b[?1u");
  expect(asked("\x1b[>1u\x1b[=4;2u")).toBe("\x1b[?5u");
  expect(asked("\x1b[=31u\x1b[=1;3u")).toBe("\x1b[?30u");
  expect(asked("\x1b[>1u\x1b[?1049h")).toBe("\x1b[?0u");
  expect(asked("\x1b[>1u\x1b[?1049h\x1b[>2u\x1b[?1049l")).toBe("\x1b[?1u");
  expect(asked("\x1b[>1u\x1bc")).toBe("\x1b[?0u");
});

test("modes are tracked, and reported once per chunk", () => {
  const { modes, changes } = of("\x1b[?1049h\x1b[?1;2004;1002;1006h\x1b[?25l\x1b=\x1b[?1004h");
  expect(modes).toMatchObject({
    app_cursor_keys: true,
    app_keypad: true,
    bracketed_paste: true,
    alternate_screen: true,
    mouse: "button",
    mouse_encoding: "sgr",
    focus_events: true,
    cursor_visible: false,
  });
  expect(changes).toEqual([modes]);
  expect(of("\x1b[?25l\x1b[?25h").changes).toEqual([]);
  expect(of("\x1b[?1h\x1b[?1s\x1b[?1l\x1b[?1r").modes.app_cursor_keys).toBe(true);
  expect(of("\x1b[?1049;1;1000h\x1bc").modes).toEqual(DEFAULT_MODES);
});

test("title, working directory and bell are reported when they change", () => {
  const { titles, title } = of(
    "\x1b]0;one\x07\x1b]2;zwei ü\x1b\\\x1b]2;zwei ü\x1b\\\x1b]1;icon\x07\x1b[22t\x1b]0;x\x07\x1b[23t",
  );
  expect(titles).toEqual(["one", "zwei ü", "x", "zwei ü"]);
  expect(title).toBe("zwei ü");
  expect(
    of('\x1b]7;file://host/a%20b\x07\x1b]1337;CurrentDir=/c\x07\x1b]9;9;"/d"\x07\x1b]633;P;Cwd=/e\\x3bf\x07')
      .directories,
  ).toEqual(["/a b", "/c", "/d", "/e;f"]);
  expect(of("\x1b]7;file://host/a\x07\x1b]7;relative\x07\x1b]9;done\x07").cwd).toBe("/a");
  expect(of("a\x07\x1b]0;t\x07b\x07").bells).toEqual([1, 9]);
});

test("any chunking reports the same", () => {
  fc.assert(
    fc.property(streams, cuts, (bytes, places) => {
      const { changes: _, ...whole } = watched([bytes]);
      expect(watched(chunksOf(bytes, places))).toMatchObject(whole);
    }),
    { numRuns: 1500 },
  );
});

const TRACKED = [1, 9, 25, 47, 66, 1000, 1002, 1003, 1004, 1047, 1049, 2004];

test("the modes are those of xterm.js, and reported as it does", async () => {
  const pieces = fc.constantFrom(
    ...[...TRACKED, 2026].flatMap((mode) => [`\x1b[?${mode}h`, `\x1b[?${mode}l`]),
    "\x1b=",
    "\x1b>",
    "\x1bc",
    "\x1b[!p",
    "\x1b[?1;2004h",
    "text",
  );
  const property = fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
    const terminal = new Terminal({ allowProposedApi: true });
    await new Promise<void>((done) => terminal.write(parts.join(""), done));
    const { applicationCursorKeysMode, applicationKeypadMode, bracketedPasteMode, mouseTrackingMode, sendFocusMode } =
      terminal.modes;
    const reports: string[] = [];
    terminal.onData((data) => void reports.push(data));
    // RIS shows a hidden cursor again; in xterm.js it stays hidden.
    const asked = [...TRACKED, 2026, 2027, 2031, 2048].filter((mode) => mode !== 25 || !parts.includes("\x1bc"));
    const asking = asked.map((mode) => `\x1b[?${mode}$p`).join("");
    await new Promise<void>((done) => terminal.write(asking, done));
    expect(of(parts.join("") + asking).queries).toEqual(reports);
    const names = { none: "off", x10: "x10", vt200: "normal", drag: "button", any: "any" } as const;
    const { modes } = of(parts.join(""));
    expect({
      app_cursor_keys: applicationCursorKeysMode,
      app_keypad: applicationKeypadMode,
      bracketed_paste: bracketedPasteMode,
      alternate_screen: terminal.buffer.active.type === "alternate",
      mouse: names[mouseTrackingMode],
      focus_events: sendFocusMode,
    }).toEqual({
      app_cursor_keys: modes.app_cursor_keys,
      app_keypad: modes.app_keypad,
      bracketed_paste: modes.bracketed_paste,
      alternate_screen: modes.alternate_screen,
      mouse: modes.mouse,
      focus_events: modes.focus_events,
    });
    terminal.dispose();
  });
  await fc.assert(property, { numRuns: 300 });
});
