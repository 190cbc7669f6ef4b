import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { ScreenPainter } from "../../src/terminal/screen/screen-painter.ts";
import type { Screen } from "../../src/terminal/screen/screen.ts";
import { rowsOfText } from "../../src/terminal/screen/screen-text.ts";

const SESSION = { cols: 24, rows: 6 };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const step = fc.oneof(
  fc.string({ maxLength: 15 }),
  fc.constantFrom(
    "日本語",
    "😀",
    "é",
    "\r\n",
    "\x1b[H",
    "\x1b[2J",
    "\x1b[3;3H",
    "\x1b[7m",
    "\x1b[0m",
    "\x1b[44m",
    "\x1b[?1h",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[K",
    "\x1b[?1049h",
  ),
);

/** The part of a larger terminal that has the session's size. */
function corner(screen: Screen): string[] {
  return rowsOfText(screen)
    .slice(0, SESSION.rows)
    .map((row) => row.trimEnd());
}

test("A larger terminal shows the session's cells and cursor after every step.", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), (frames) => {
      const size = { cols: 40, rows: 10 };
      using session = new Emulator({ ...SESSION, scrollback: 0 });
      using terminal = new Emulator({ ...size, scrollback: 0 });
      const painter = new ScreenPainter();
      terminal.write(painter.enter());
      for (const frame of frames) {
        session.write(encode(frame.join("")));
        terminal.write(painter.paint(session.screen(), size));
        const [shown, painted] = [session.screen(), terminal.screen()];
        expect(corner(painted)).toEqual(corner(shown));
        expect(painted.cursor.visible).toBe(shown.cursor.visible);
        expect([painted.cursor.row, Math.min(painted.cursor.col, SESSION.cols - 1)]).toEqual([
          shown.cursor.row,
          Math.min(shown.cursor.col, SESSION.cols - 1),
        ]);
        expect(painted.modes.app_cursor_keys).toBe(shown.modes.app_cursor_keys);
      }
    }),
    { numRuns: 300 },
  );
});

test("A smaller terminal shows the part around the cursor.", () => {
  using session = new Emulator({ cols: 20, rows: 10, scrollback: 0 });
  session.write(encode("\x1b[1;1Htop left\x1b[10;15Hend"));
  using terminal = new Emulator({ cols: 8, rows: 3, scrollback: 0 });
  terminal.write(new ScreenPainter().paint(session.screen(), { cols: 8, rows: 3 }));
  expect(rowsOfText(terminal.screen()).join("|")).toContain("end");
});

test("Unchanged rows are not painted again, and leaving resets the modes.", () => {
  using session = new Emulator({ ...SESSION, scrollback: 0 });
  const size = { cols: 40, rows: 10 };
  const painter = new ScreenPainter();
  session.write(encode("\x1b[?1h\x1b[?1003h\x1b[?2004hhello\r\nworld"));
  const first = new TextDecoder().decode(painter.paint(session.screen(), size));
  session.write(encode("!"));
  const second = new TextDecoder().decode(painter.paint(session.screen(), size));
  expect(first).toContain("hello");
  expect(second).toContain("world!");
  expect(second).not.toContain("hello");
  const left = new TextDecoder().decode(painter.leave());
  for (const off of ["\x1b[?1l", "\x1b[?1003l", "\x1b[?2004l", "\x1b[?1049l"]) expect(left).toContain(off);
});
