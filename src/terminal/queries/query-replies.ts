/**
 * Recognises a program's queries to its terminal, and answers those that do not depend on the
 * screen.
 */
import {
  capabilities,
  colorScheme,
  deviceAttributes,
  deviceStatus,
  keyboardFlags,
  modeReport,
  operatingStatus,
  secondaryAttributes,
  terminalVersion,
  tertiaryAttributes,
  unknownSetting,
} from "./fixed-answers.ts";
import { dcsHead } from "../parser/dcs.ts";
import type { Sequence } from "../parser/sequence.ts";
import type { StateQuery } from "./state-query.ts";

/** The answer, or what the emulator must look up. Null: no query, or one that is not answered. */
export type Reply = Uint8Array | StateQuery | null;

/** The terminal's properties and state outside the screen. */
export interface TerminalFacts {
  version: string;
  term: string;
  isDark(): boolean;
  keyboardFlags(): number;
  /** DECRPM's value; null when only the emulator knows. */
  modeReport(mode: number): number | null;
}

const SIZES: Readonly<Record<number, Extract<StateQuery, { kind: "size" }>["what"]>> = {
  14: "pixels",
  16: "cell_pixels",
  18: "cells",
  19: "screen_cells",
};

/** `key` is marks and final byte. */
export function csiReply(key: string, parameter: number, facts: TerminalFacts): Reply {
  switch (key) {
    case "c":
      return parameter === 0 ? deviceAttributes : null;
    case ">c":
      return parameter === 0 ? secondaryAttributes : null;
    case "=c":
      return parameter === 0 ? tertiaryAttributes : null;
    case ">q":
      return parameter === 0 ? terminalVersion(facts.version) : null;
    case "n":
      if (parameter === 6) return { kind: "cursor_position", isPrivate: false };
      return parameter === 5 ? operatingStatus : null;
    case "?n":
      if (parameter === 6) return { kind: "cursor_position", isPrivate: true };
      return parameter === 996 ? colorScheme(facts.isDark()) : deviceStatus(parameter);
    case "$p":
      return { kind: "mode", isPrivate: false, mode: parameter };
    case "?$p": {
      const value = facts.modeReport(parameter);
      return value === null ? { kind: "mode", isPrivate: true, mode: parameter } : modeReport(parameter, value);
    }
    case "?u":
      return keyboardFlags(facts.keyboardFlags());
    case "t": {
      const what = SIZES[parameter];
      return what === undefined ? null : { kind: "size", what };
    }
    default:
      return null;
  }
}

/** Longer than any setting's name. */
const MAX_SETTING = 16;

export function dcsReply(sequence: Sequence, { term }: TerminalFacts): Reply {
  const head = dcsHead(sequence);
  if (head === null) return null;
  const text = sequence.text(head.data);
  if (head.kind === "+q") return capabilities(text, term);
  if (head.kind !== "$q") return null;
  return text.length <= MAX_SETTING ? { kind: "setting", setting: text } : unknownSetting;
}
