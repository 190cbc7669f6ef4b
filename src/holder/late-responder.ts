/**
 * The responder, loaded with the first output: a session that only sleeps does without, and saves its memory.
 *
 * With require(), which the build makes a chunk of its own all the same: it is for the bytes at hand, and import() would answer after the next ones.
 */
import type * as Loaded from "./responder.ts";
import type { MakeResponder } from "./session-terminal.ts";

/** `background`: the session's COLORFGBG. */
export function lateResponder(background: () => string): MakeResponder {
  return (needs) => {
    // oxlint-disable-next-line typescript/no-require-imports -- see above
    const { Responder } = require("./responder.ts") as typeof Loaded;
    return new Responder(background(), needs);
  };
}
