import { describe } from "bun:test";
import { compare, PROMPT, type SideBySide } from "./side-by-side.ts";

const NOTES = Array.from({ length: 60 }, (_, i) => `${i + 1}\tthe quick brown fox, line ${i + 1}, wide 日本語  `).join(
  "\n",
);

/** As it comes, without anybody's settings or memory. */
const VIM = "via vim -u NONE -N -i NONE -n notes.txt";

async function vim(pair: SideBySide): Promise<void> {
  pair.file("notes.txt", `${NOTES}\n`);
  await pair.shell(VIM, /60L, \d+B\s*$/);
}

const SIZES = [
  [60, 20],
  [132, 43],
  [12, 3],
  [500, 200],
  [100, 30],
] as const;

/** Two steps in a row would look alike where the text does not tell the size. */
async function showSize(pair: SideBySide): Promise<void> {
  await pair.keys(["-l", ":set laststatus=2 statusline=%{&columns}x%{&lines}"], "&lines}");
  await pair.keys(["Enter"], /\n100x30\b/);
}

describe("vim", () => {
  compare("inserting, undoing, selecting and listing look as they do without holt", async (pair) => {
    await vim(pair);
    await pair.keys(["ihello, wörld", "Enter", "tail "], "-- INSERT --");
    await pair.keys(["Escape"], /hello, wörld\ntail 1(?!.*-- INSERT --)/s);
    // Ctrl-G covers what vim says about the undo: how many seconds ago it was.
    await pair.keys(["u", "C-g"], /"notes\.txt" [^\n]*of 60 /);
    await pair.keys(["C-r", "C-g"], /"notes\.txt" [^\n]*of 61 /);
    await pair.keys(["5GVjj"], "-- VISUAL LINE --");
    await pair.keys([">"], /3 lines >ed/);
    await pair.keys(["gg0", "C-v", "jjl"], "-- VISUAL BLOCK --");
    await pair.keys(["Escape"], /^(?![^]*VISUAL)/);
    await pair.keys(["-l", ":set list number hlsearch"], ":set list number hlsearch");
    await pair.keys(["Enter"], /\n +3 2\^Ithe quick/);
    await pair.keys(["-l", "/line 2"], "/line 2");
    await pair.keys(["Enter"], /line 2[^]*\/line 2/);
    await pair.keys(["n", "n", "zz"], /cursor \d+,14/);
    await pair.keys(["-l", ":q!"], ":q!");
    await pair.keys(["Enter"], PROMPT);
  });

  compare("split windows, syntax colours and 24-bit colours look as they do without holt", async (pair) => {
    pair.file("fib.c", '/* fib */\n#include <stdio.h>\nint main(void) {\n\tprintf("%d\\n", 55);\n\treturn 0;\n}\n');
    await vim(pair);
    await pair.keys(
      ["-l", ":set laststatus=2 ruler termguicolors | syntax on | hi Comment guifg=#7fbf3f gui=italic"],
      "italic",
    );
    await pair.keys(["Enter"], /notes\.txt +1,1 +Top/);
    await pair.keys(["-l", ":split fib.c"], ":split fib.c");
    await pair.keys(["Enter"], /fib\.c +1,1 +All[^]*notes\.txt/);
    await pair.keys(["-l", ":vsplit"], ":vsplit");
    await pair.keys(["Enter"], /fib\.c[^\n]*fib\.c/);
    await pair.keys(["C-w", "j", "G"], /notes\.txt +60,1 +Bot/);
    await pair.keys(
      ["-l", ":set mouse=a | terminal ++curwin sh -c 'printf \"\\033[35min a terminal\\033[0m\\n\"'"],
      "in a terminal",
    );
    await pair.keys(["Enter"], /finished\]/);
    await pair.keys(["-l", ":qa!"], ":qa!");
    await pair.keys(["Enter"], PROMPT);
  });

  compare("a window resized, to the tiny and to the huge, is redrawn as without holt", async (pair) => {
    await vim(pair);
    await showSize(pair);
    for (const [cols, rows] of SIZES) await pair.resized(cols, rows, new RegExp(`\n${cols}x${rows}\\b`));
    await pair.keys(["G"], /line 60/);
    for (const [cols, rows] of SIZES) await pair.resized(cols, rows, new RegExp(`\n${cols}x${rows}\\b`));
    await pair.keys(["-l", ":q"], ":q");
    await pair.keys(["Enter"], PROMPT);
  });

  compare("a burst of resizes ends at the last size", async (pair) => {
    await vim(pair);
    await showSize(pair);
    for (let cols = 60; cols < 100; cols += 3) pair.resize(cols, 20 + (cols % 7));
    await pair.resized(90, 25, /\n90x25/);
  });

  compare("the mouse places the cursor", async (pair) => {
    await vim(pair);
    await pair.keys(["-l", ":set mouse=a ttymouse=sgr"], "ttymouse=sgr");
    await pair.keys(["Enter"], /mouse any 1[^]*sgr 1/);
    await pair.keys(["-l", "\x1b[<0;15;7M\x1b[<0;15;7m"], "cursor 14,6");
    await pair.keys(["-l", "\x1b[<65;15;7M\x1b[<65;15;7m"], /\n4 +the/);
  });

  compare("a bracketed paste arrives as one", async (pair) => {
    await vim(pair);
    await pair.keys(["-l", "i\x1b[200~\tpasted\n\tas it is\x1b[201~"], "as it is");
    await pair.keys(["Escape"], /\n {8}as it is1/);
  });
});

describe("nano", () => {
  compare("typing, searching, cutting, help and leaving look as they do without holt", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell("via nano -I notes.txt", "Read 60 lines");
    await pair.keys(["-l", "première ligne "], "première ligne 1");
    await pair.keys(["C-w"], "Search:");
    await pair.keys(["line 33", "Enter"], "line 33");
    await pair.keys(["M-A", "Down", "Down", "C-k"], /line 36/);
    await pair.keys(["C-c"], /line \d+\/\d+/);
    await pair.keys(["C-g"], "Main nano help text");
    await pair.resized(70, 22, /functionality and\n ease-of-use/);
    await pair.keys(["C-x"], /notes\.txt/);
    await pair.resized(100, 30, /GNU nano \S+ {28,}notes/);
    await pair.keys(["C-x"], "Save modified buffer?");
    await pair.keys(["n"], PROMPT);
  });
});
