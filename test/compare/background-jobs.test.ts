/**
 * `holt run` in the background had the command in front on a terminal of its own: `holt run -- vim f &` painted over the shell's
 * screen instead of stopping as vim does, `holt run -- cat &` waited unseen for keys that went to the shell, and each line that a job
 * printed had a second carriage return.
 */
import { describe } from "bun:test";
import { compare, PROMPT } from "./side-by-side.ts";

const VIM = "via vim -u NONE -N -i NONE -n notes.txt";
const NOTES = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join("\n");
/** The job's pid, which bash prints, is not the same on both sides. */
const ONCE_STOPPED = 'while [ -z "$(jobs -s)" ]; do :; done; clear';
const STOPPED = /\[1\]\+ +Stopped +via [^\n]+\n\$$/;

describe("a job in the background", () => {
  compare("that is vim stops at its first use of the terminal, and fg paints it", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(`${VIM} & ${ONCE_STOPPED}`, STOPPED);
    await pair.shell("echo 'in the shell'", /in the shell\n\$$/);
    await pair.shell("fg", /alternate screen 1[^]*line 29/);
    await pair.keys(["ofirst", "Escape"], /\nfirst\n/);
    await pair.keys(["-l", ":q!\n"], PROMPT);
  });

  compare("after Ctrl-Z and bg stops again, and fg paints it anew", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(VIM, /60L, \d+B$/);
    for (const word of ["first", "second"]) {
      await pair.keys([`o${word}`, "Escape"], new RegExp(`\n${word}\n`));
      await pair.keys(["C-z"], /alternate screen 0[^]*Stopped +via [^\n]+\n\$$/);
      await pair.shell(`bg; ${ONCE_STOPPED}`, STOPPED);
      await pair.shell("fg", new RegExp(`alternate screen 1[^]*\n${word}\n`));
    }
    await pair.keys(["-l", ":q!\n"], PROMPT);
  });

  compare("that reads is stopped, and reads once it is in front", async (pair) => {
    await pair.shell(`via cat & ${ONCE_STOPPED}`, STOPPED);
    await pair.shell("fg", /\nvia cat$/);
    await pair.keys(["-l", "typed\n"], /typed\ntyped$/);
    await pair.keys(["C-z"], STOPPED);
    await pair.shell(`bg; ${ONCE_STOPPED}`, STOPPED);
    await pair.shell("fg", /\nvia cat$/);
    await pair.keys(["-l", "again\n"], /again\nagain$/);
    await pair.keys(["C-d"], PROMPT);
  });
});
