/**
 * Parses the marks that an integrated shell prints (holder/shell): OSC 133 with extra fields. `A`
 * is a prompt, `C` the start of a command, `D;STATUS` its end. Terminals treat them as ordinary OSC
 * 133 marks. The caller compares the key with the session's (progress.ts), so that output of other
 * programs is never taken for a mark.
 *
 *   holt=KEY;n=PROMPT;cwd=PATH   in every mark
 *   cmd=LINE                     C: the line as typed
 *   exec=1                       C: the command came from the inbox
 *   cut=1                        C: LINE is truncated
 *   repeat=1                     C, bash: the line is not new in the history
 *
 * PATH and LINE are percent-encoded.
 */
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";

export interface ShellMark {
  kind: "prompt" | "begin" | "end";
  key: string;
  /** Number of the prompt that the mark belongs to. */
  prompt: number;
  cwd: string | null;
  /** Exit code of the ended command. */
  exitCode: number | null;
  /** The command came from the inbox instead of the keyboard. */
  isFromInbox: boolean;
  /** The command line as typed. */
  command: string | null;
  /** The command line is truncated to a mark's size. */
  isCut: boolean;
  /** bash did not add it to its history: a repeat of the last one, or excluded from it. */
  isNotInHistory: boolean;
}

const KINDS: Readonly<Record<string, ShellMark["kind"]>> = { A: "prompt", C: "begin", D: "end" };

/** Parses the text of an OSC 133 after its "133;". Null for a mark of another program. */
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
    isFromInbox: values.has("exec"),
    command: command === undefined ? null : decoded(command),
    isCut: values.has("cut"),
    isNotInHistory: values.has("repeat"),
  };
}

function fieldOf(text: string): [name: string, value: string] {
  const [name = "", value = ""] = text.split(/=(.*)/s, 2);
  return [name, value];
}

/** Decodes %XX into bytes; everything else stays. */
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
