import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { shellMark } from "../../src/terminal/queries/shell-mark.ts";

const NONE = { cwd: null, exitCode: null, isFromInbox: false, command: null, isCut: false, isNotInHistory: false };

test("a prompt, a command's start and a command's end are distinguished", () => {
  expect(shellMark("A;holt=k;n=3;cwd=/tmp")).toEqual({ ...NONE, kind: "prompt", key: "k", prompt: 3, cwd: "/tmp" });
  expect(shellMark("C;holt=k;n=3;cwd=/a%3Bb;cmd=ls%20-l;cut=1;repeat=1")).toEqual({
    ...NONE,
    kind: "begin",
    key: "k",
    prompt: 3,
    cwd: "/a;b",
    command: "ls -l",
    isCut: true,
    isNotInHistory: true,
  });
  expect(shellMark("C;holt=k;n=3;cwd=;exec=1")).toMatchObject({ kind: "begin", isFromInbox: true, cwd: null });
  expect(shellMark("D;130;holt=k;n=3;cwd=/")).toMatchObject({ kind: "end", exitCode: 130 });
});

test.each(["A", "B;holt=k;n=1", "C;cmdline_url=ls", "D;0", "A;holt=k", "A;holt=k;n=x", "", ";;=;"])(
  "%j is not a mark of holt's",
  (text) => {
    expect(shellMark(text)).toBeNull();
  },
);

test("percent-encoding encodes bytes, and any text is accepted", () => {
  expect(shellMark("C;holt=k;n=1;cmd=%C3%A9%E2%82%AC%zz%")).toMatchObject({ command: "é€%zz%" });
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (command) => {
      const encoded = encodeURIComponent(command.toWellFormed());
      expect(shellMark(`C;holt=k;n=1;cmd=${encoded}`)?.command).toBe(command.toWellFormed());
      shellMark(command);
    }),
  );
});
