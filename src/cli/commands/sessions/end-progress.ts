/** On a terminal, shows how many sessions are left to end, once that takes longer than a second. */
import { plural } from "../../output/format.ts";
import { writeErr } from "../../output/output.ts";
import { stderrStyle } from "../../output/style.ts";

const EVERY_MS = 1000;

export function endProgress(verb: "stopped" | "killed", left: () => number): Disposable {
  if (!stderrStyle().tty) return { [Symbol.dispose]() {} };
  let isShown = false;
  const timer = setInterval(() => {
    writeErr(`\r\x1b[K${plural(left(), "session")} not yet ${verb}`);
    isShown = true;
  }, EVERY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      if (isShown) writeErr("\r\x1b[K");
    },
  };
}
