/**
 * What an integrated shell says of itself (holder/shell): OSC 133 with fields of our own. `A` is a prompt, `C` a command that begins, `D` one
 * that has ended. Terminals take them for the marks that they know; holt takes none without the session's key, so that what a
 * program prints is never taken for the shell's word.
 */
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";

export interface ShellMark {
  kind: "prompt" | "begin" | "end";
  key: string;
  /** Of the prompt that it belongs to. */
  prompt: number;
  cwd: string | null;
  /** Of what has ended. */
  exitCode: number | null;
  /** Taken from the inbox, not typed. */
  isTaken: boolean;
  /** As typed. */
  command: string | null;
  /** There was more of it than a mark holds. */
  isCut: boolean;
  /** bash has not put it into its history: it is the last one again, or one that is kept out of it. */
  isUnrecorded: boolean;
}

const KINDS: Readonly<Record<string, ShellMark["kind"]>> = { A: "prompt", C: "begin", D: "end" };

/** Null for the marks of others. `text` is what follows "133;". */
export function shellMark(text: string): ShellMark | null {
  const [letter = "", ...fields] = text.split(";");
  const kind = KINDS[letter];
  const values = new Map(fields.map(fieldOf));
  const key = values.get("holt");
  const prompt = Number(values.get("n"));
  if (kind === undefined || key === undefined || !Number.isSafeInteger(prompt)) return null;
  const cwd = decoded(values.get("cwd") ?? "");
  const command = values.get("cmd");
  return {
    kind,
    key,
    prompt,
    cwd: cwd.startsWith("/") ? cwd : null,
    exitCode: kind === "end" && /^\d{1,3}$/.test(fields[0] ?? "") ? Number(fields[0]) : null,
    isTaken: values.has("exec"),
    command: command === undefined ? null : decoded(command),
    isCut: values.has("cut"),
    isUnrecorded: values.has("repeat"),
  };
}

function fieldOf(text: string): [name: string, value: string] {
  const [name = "", value = ""] = text.split(/=(.*)/s, 2);
  return [name, value];
}

/** %XX are bytes, as is what is none. */
function decoded(text: string): string {
  const bytes = bytesOf(text);
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === PERCENT ? Number.parseInt(digitsAt(bytes, at + 1), 16) : Number.NaN;
    plain.push(Number.isNaN(code) ? (bytes[at] ?? 0) : code);
    if (!Number.isNaN(code)) at += 2;
  }
  return textOf(Uint8Array.from(plain));
}

const PERCENT = 0x25;

function digitsAt(bytes: Uint8Array, at: number): string {
  const digits = String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  return /^[0-9a-f]{2}$/i.test(digits) ? digits : "";
}
