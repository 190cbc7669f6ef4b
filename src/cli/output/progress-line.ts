/** Shows progress on one line of stderr, if that is a terminal. */
import { formatBytes } from "./format.ts";
import { writeErr } from "./output.ts";
import { stderrStyle } from "./style.ts";

const CLEAR_LINE = "\r\x1b[K";

export interface ProgressLine {
  update: (done: number, total: number) => void;
  clear: () => void;
}

export function progressLine(what: string): ProgressLine {
  const style = stderrStyle();
  let isShown = false;
  return {
    update(done, total) {
      if (!style.tty) return;
      isShown = true;
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      writeErr(`${CLEAR_LINE}holt: ${what}: ${percent} % of ${formatBytes(total)}`);
    },
    clear() {
      if (isShown) writeErr(CLEAR_LINE);
      isShown = false;
    },
  };
}
