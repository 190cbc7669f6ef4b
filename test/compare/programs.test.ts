import { describe } from "bun:test";
import { readFileSync } from "node:fs";
import { compare, PROMPT } from "./side-by-side.ts";
import { testCard } from "./test-card.ts";

const PAGES = Array.from(
  { length: 400 },
  (_, i) => `${i + 1} \x1b[3${i % 8}mcolour ${i % 8}\x1b[0m ${"~".repeat(i % 120)}`,
);

describe("less", () => {
  compare("paging, searching and resizing look as they do without holt", async (pair) => {
    pair.file("pages.txt", `${PAGES.join("\n")}\n`);
    await pair.shell("via less -R -N pages.txt", /\n +29 +29 colour 4[^]*pages\.txt|\n +2[0-9] [^]*pages\.txt/);
    await pair.keys(["Space"], /\n +\d+ +40 colour 7/);
    await pair.keys(["-l", "/colour 5"], "/colour 5");
    await pair.keys(["Enter"], /\n:$/);
    await pair.keys(["G"], /400 colour 7[^]*\(END\)$/);
    await pair.resized(60, 15, /size 60x15[^]*385 colour 0[^\n]*\n:/);
    await pair.keys(["g"], /scrollback \d+\n +1 +1 colour 0/);
    await pair.resized(120, 40, /size 120x40[^]* 20 colour 3[^]*\n:/);
    await pair.keys(["S", "Enter"], /size 120x40[^]* 36 colour 3/);
    await pair.keys(["h"], "SUMMARY OF LESS COMMANDS");
    await pair.keys(["q"], /\n +2 2 colour 1/);
    await pair.keys(["F"], "Waiting for data");
    await pair.keys(["C-c"], /400 colour 7/);
    await pair.keys(["q"], PROMPT);
  });

  compare("a pipeline into a pager that reads its keys from the terminal works as without holt", async (pair) => {
    await pair.shell("via sh -c 'seq 1000 | less'", /\n29\n:$/);
    await pair.keys(["-l", "/77"], "/77");
    await pair.keys(["Enter"], /scrollback \d+\n77\n/);
    await pair.keys(["q"], PROMPT);
  });
});

describe("dialog", () => {
  compare("menus look as they do without holt", async (pair) => {
    const items = "one 'the first' two 'the second' three 'das dritte: ä' four '四番目'";
    pair.file("menu", `dialog --title Menu --menu 'Pick one' 15 50 5 ${items} 2>answer; clear; cat answer; echo`);
    await pair.shell("via sh menu", "Pick one");
    await pair.keys(["Down", "Down"], "das dritte");
    // The cursor is on Cancel: a resize that overtakes the key, as it may without holt too, would be of another menu.
    await pair.keys(["Tab"], /cursor 51,20[^]*< {0,2}Cancel ?>/);
    await pair.resized(80, 24, /\n {14}\S[^\n]*Menu/);
    await pair.keys(["Tab", "f", "Enter"], /\nfour\n\$$/);
  });

  compare("checklists, gauges and forms look as they do without holt", async (pair) => {
    pair.file(
      "fruit",
      `dialog --colors --checklist '\\Z1Fruit\\Zn \\Zbto eat\\Zn' 15 50 5 a apple on b banana off c cherry off 2>answer; clear; cat answer; echo`,
    );
    await pair.shell("via sh fruit", "Fruit to eat");
    await pair.keys(["Down", "Space"], "[*] b");
    await pair.keys(["Up", "Space"], "[ ] a");
    await pair.keys(["Enter"], /\nb\n\$$/);
    await pair.shell("clear; via sh -c 'echo 42 | dialog --gauge half 8 40'", "42%");
    await pair.keys(["C-l"], /0\n\$$/);
    await pair.shell("clear; via dialog --inputbox 'Your name' 10 40 Bob", "Your name");
    await pair.keys([" BX", "BSpace", "BSpace", "Ünder"], "Bob Ünder");
    await pair.keys(["Escape"], /alternate screen 0/);
  });
});

describe("a python REPL", () => {
  compare("editing, history, errors and interrupts look as they do without holt", async (pair) => {
    await pair.shell("via python3 -q -i", />>>$/);
    await pair.keys(["-l", "print('h\u00e9llo', 6 * 7"], "6 * 7");
    await pair.keys([")", "Enter"], /héllo 42\n>>>$/);
    await pair.keys(["1/0", "Enter"], /ZeroDivisionError: [^\n]+\n>>>$/);
    await pair.keys(["-l", "for i in range(3):"], "range(3):");
    await pair.keys(["Enter"], /\.\.\.$/);
    await pair.keys(["-l", "    print('row', i)"], "print('row', i)");
    await pair.keys(["Enter", "Enter"], /row 2\n>>>$/);
    await pair.keys(["Up", "Up", "C-a", "C-k", "Up"], />>> \S/);
    await pair.keys(["C-c"], /KeyboardInterrupt\n>>>$/);
    await pair.keys(["-l", "import time; time.sleep(99)"], "sleep(99)");
    await pair.keys(["Enter"], /cursor 0,\d+/);
    await pair.keys(["C-c"], /time\.sleep[^]*KeyboardInterrupt\n>>>$/);
    await pair.keys(["-l", "input('name? ')"], "input('name? ')");
    await pair.keys(["Enter"], /\nname\?$/);
    await pair.keys(["-l", "zoë\n"], /'zoë'\n>>>$/);
    await pair.keys(["C-d"], PROMPT);
  });
});

describe("programs that print", () => {
  compare("a test card of every colour, attribute and width is the same to the cell", async (pair) => {
    pair.file("card", testCard());
    await pair.shell("via cat card", /title test card[^]*and back\n\$$/);
    await pair.shell("clear; via dd if=card bs=1 status=none", /title test card[^]*and back\n\$$/);
  });

  compare("ls in colour, columns and long lines are the same to the cell", async (pair) => {
    await pair.shell(
      "mkdir dir; ln -s dir link; ln -s no dangling; touch a.tar b.png 日本語 'a b'; chmod +x b.png",
      PROMPT,
    );
    await pair.shell("via ls --color -F", /dir\/[^]*日本語\n\$$/);
    await pair.shell("via ls --color -C -w 0 /usr/bin", PROMPT);
    await pair.shell("via grep --color=always -n root /etc/passwd", /1:root[^]*\n\$$/);
  });

  compare("what scrolls away is the same in the scrollback", async (pair) => {
    await pair.shell("via seq 1500", /\n1500\n\$$/);
    await pair.shell("via sh -c 'seq 3; exit 7'; echo code $?", /code 7\n\$$/);
    await pair.shell("via printf 'no newline at the end'", /at the end\$$/);
  });

  compare("a command that leaves the terminal in a mess leaves the same mess", async (pair) => {
    await pair.shell(
      "via printf '\\033[?1049h\\033[?1000;1006h\\033[?25l\\033=\\033[?1h\\033[5;20r\\033[4;31mmess'",
      /cursor shown 0[^]*alternate screen 1[^]*cursor keys 1[^]*region 4 to 19[^]*standard 1[^]*mess\$$/,
    );
    await pair.shell("reset -Q; clear", /cursor shown 1[^]*region 0 to 29[^]*any 0[^]*\n\$$/);
  });
});

describe("a full-screen program of our own", () => {
  const tui = readFileSync(new URL("../fixtures/tui.py", import.meta.url));

  compare("keys, colours, cursor and title are as without holt", async (pair) => {
    pair.file("tui.py", tui);
    await pair.shell("via python3 tui.py", /alternate screen 1[^]* 100 x 30 [^]*nothing yet/);
    await pair.keys(["Up"], "last: KEY_UP");
    await pair.keys(["F5"], "last: KEY_F(5)");
    await pair.keys(["M-x"], "last: 'x'");
    await pair.keys(["C-Left"], /last: kLFT5/);
    await pair.keys(["ß"], "last: 'ß'");
    await pair.keys(["c"], /cursor shown 0[^]*last: 'c'/);
    await pair.keys(["c"], /cursor shown 1/);
    await pair.keys(["t"], "title title ");
    await pair.keys(["s"], /alternate screen 0[^]*on the plain screen:$/);
    await pair.keys(["-l", "word\n"], /alternate screen 1[^]*last: 's'/);
    await pair.keys(["q"], PROMPT);
  });

  compare("the mouse is switched on and off, and its clicks arrive, as without holt", async (pair) => {
    pair.file("tui.py", tui);
    await pair.shell("via python3 tui.py", "nothing yet");
    await pair.keys(["m"], /mouse any 1[^]*mouse on/);
    await pair.keys(["-l", "\x1b[M ,)"], "last: mouse 11,8");
    await pair.keys(["-l", "\x1b[M#~:"], "last: mouse 93,25");
    await pair.keys(["m"], /mouse any 0[^]*mouse off/);
    await pair.keys(["C-c"], /alternate screen 0[^]*interrupted\n\$$/);
  });

  compare("resizes arrive one by one, as without holt", async (pair) => {
    pair.file("tui.py", tui);
    await pair.shell("via python3 tui.py", "nothing yet");
    for (const [cols, rows] of [
      [80, 24],
      [30, 10],
      [132, 50],
      [44, 12],
      [500, 200],
      [100, 30],
    ] as const) {
      const sign = rows < 12 ? "small" : new RegExp(` ${cols} x ${rows} [^]*last: resize`);
      await pair.resized(cols, rows, sign);
    }
    await pair.keys(["q"], PROMPT);
  });
});
