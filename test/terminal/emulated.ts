import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { textOf } from "../../src/protocol/types/bytes.ts";

/**
 * The complete visible state of an emulator, for comparison. Synchronised output is off after a
 * replay (see modeSequences).
 */
export function knownOf(emulator: Emulator): object {
  const { modes, ...screen } = emulator.screen();
  return {
    ...screen,
    modes: { ...modes, synchronized_output: false },
    cwd: emulator.cwd,
    replay: textOf(emulator.replay()),
  };
}

export interface Size {
  cols: number;
  rows: number;
}

/** Few lines of scrollback, so that it fills soon. */
export function emulated(size: Size, ...chunks: (Uint8Array | string)[]): Emulator {
  const emulator = new Emulator({ ...size, scrollback: 20 });
  for (const chunk of chunks) emulator.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return emulator;
}
