/**
 * The bar: a command in a live shell answers with exactly what it printed, its exit code and its directory, whatever it is made of: quotes,
 * newlines, heredocs, control characters, bytes that are no text, escape sequences that are never ended, much or nothing. 25 commands a shell in
 * `make test`, 1,000 in `make soak`.
 */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { size } from "../chaos/size.ts";
import type { ShellName } from "../../src/protocol/types/shell-command.ts";
import { BARE, LiveShell, quoted, SHELLS } from "./shells.ts";

const COMMANDS = size(25, 1000);

interface Piece {
  command: string;
  prints: Uint8Array;
  exitCode: number;
}

/** What a terminal makes of a program's bytes. */
function sent(bytes: Uint8Array): Uint8Array {
  const parts: number[] = [];
  for (const byte of bytes) {
    if (byte === 0x0a) parts.push(0x0d);
    parts.push(byte);
  }
  return Uint8Array.from(parts);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const inBase64 = (data: Uint8Array): string => Buffer.from(data).toString("base64");

/** Everything but NUL; what a terminal would be asked by is put together below. */
const text = fc.string({ unit: "binary", maxLength: 60 }).map((value) =>
  value
    .replaceAll("\0", "")
    .toWellFormed()
    .replaceAll("\u001b", "")
    .replaceAll(/[\u0080-\u009f]/g, ""),
);
const nasty = fc.constantFrom(
  "!!",
  "$HOME",
  "`id`",
  "\\",
  "a\\\nb",
  "\t\t",
  "'",
  '"',
  "#x",
  "~",
  "*",
  "\r",
  "é\u0301",
  "%s",
  "{a,b}",
  "&|;<>",
  "\x03\x04\x15",
  "日本",
);
const words = fc.array(fc.oneof(text, nasty), { maxLength: 6 }).map((parts) => parts.join(""));
/** Not answered by a terminal, whole or cut short. */
const escapes = fc.constantFrom(
  "\u001b[31mred\u001b[0m",
  "\u001b[2J\u001b[H",
  "\u001b[?1049hin\u001b[?1049l",
  "\u001b]0;a title\u0007",
  "\u001b]0;never ended",
  "\u001b[",
  "\u001b",
  "\u001bP1;2|never ended",
  "\u001b]133;D;0;holt=forged;n=1\u0007",
  "\u001b]133;A\u0007\u001b]133;C\u0007\u001b]133;D;7\u0007",
);
/** Bytes that are no UTF-8 too; neither ESC, nor what begins its 8-bit forms. */
const binary = fc.uint8Array({ maxLength: 400 }).map((data) => data.filter((byte) => byte !== 0x1b && byte !== 0xc2));

function pieceIn(shell: ShellName): fc.Arbitrary<Piece> {
  const printed = (prints: Uint8Array, command: string): Piece => ({ command, prints, exitCode: 0 });
  const decoded = (prints: Uint8Array): Piece => printed(prints, `printf %s ${inBase64(prints)} | base64 -d`);
  const exits = (code: number): Piece => ({ command: `sh -c 'exit ${code}'`, prints: bytes(""), exitCode: code });
  const quotedWord = words.map((word) => printed(bytes(word), `printf %s ${quoted(shell, word)}`));
  const pieces = [
    quotedWord,
    words.map((word) => printed(bytes(`${word}\n`), `printf '%s\\n' ${quoted(shell, word)}`)),
    words.map((word) => printed(bytes(word), `printf %s ${quoted(shell, word)} >&2`)),
    fc.array(escapes, { minLength: 1, maxLength: 3 }).map((parts) => decoded(bytes(parts.join("")))),
    binary.map(decoded),
    fc.nat({ max: 255 }).map(exits),
    fc
      .nat({ max: size(60_000, 400_000) })
      .map((count) => printed(new Uint8Array(count).fill(0x79), `head -c ${count} /dev/zero | tr '\\0' y`)),
    fc
      .nat({ max: 3000 })
      .map((count) => printed(bytes(Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("")), `seq ${count}`)),
    fc.nat({ max: 40_000 }).map((count) => printed(bytes("z".repeat(count)), `printf %s ${"z".repeat(count)}`)),
    fc.constant(printed(bytes("12"), shell === "fish" ? "set -l q 12\nprintf %s $q" : "q=1\nq=${q}2; printf %s $q")),
  ];
  if (shell === "fish") return fc.oneof(...pieces);
  const heredoc = fc
    .array(
      words.map((word) => word.replaceAll("\n", " ").replaceAll("\r", "")),
      { maxLength: 5 },
    )
    .map((lines) =>
      printed(
        bytes(lines.map((line) => `${line}\n`).join("")),
        `cat <<'E_O_F'\n${lines.map((line) => `${line}\n`).join("")}E_O_F`,
      ),
    );
  return fc.oneof(...pieces, heredoc);
}

function commandIn(shell: ShellName): fc.Arbitrary<Piece> {
  return fc.array(pieceIn(shell), { minLength: 1, maxLength: 4 }).map((pieces) => ({
    command: pieces.map(({ command }) => command).join("\n"),
    prints: new Uint8Array(Buffer.concat(pieces.map(({ prints }) => prints))),
    exitCode: pieces.at(-1)?.exitCode ?? 0,
  }));
}

test.each(SHELLS)(
  "%s answers with exactly the bytes of each of many random commands",
  async (shell) => {
    await using live = await LiveShell.start(BARE[shell]);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(commandIn(shell), async ({ command, prints, exitCode }) => {
        const result = await live.exec(command);
        expect(Buffer.from(result.bytes).toString("latin1")).toBe(Buffer.from(sent(prints)).toString("latin1"));
        expect(result).toMatchObject({ outcome: "done", exit_code: exitCode, truncated: false });
        count++;
      }),
      { numRuns: COMMANDS },
    );
    expect(count).toBe(COMMANDS);
    expect(live.commands(COMMANDS)).toHaveLength(COMMANDS);
  },
  size(120_000, 1_800_000),
);
