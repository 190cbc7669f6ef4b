/** Parses the name or number of a signal. */
import { signalNameOf, signalNumberOf } from "../../platform/native/constants.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { nearest } from "../../protocol/methods/nearest.ts";

const COMMON = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGKILL",
  "SIGTERM",
  "SIGUSR1",
  "SIGUSR2",
  "SIGSTOP",
  "SIGCONT",
  "SIGTSTP",
  "SIGWINCH",
];

/** Real-time signals as glibc numbers them: it reserves 32 and 33. */
const RTMIN = 34;
const RTMAX = 64;

/** "int", "INT", "SIGINT" and "2" are all SIGINT; "RTMIN+1", "RTMAX-29" and "35" are SIGRTMIN+1. */
export function signalFrom(text: string): string {
  const upper = text.toUpperCase();
  const name = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (signalNumberOf(name) !== null) return name;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : realTimeNumber(name);
  const known = number !== null && number < RTMIN ? signalNameOf(number) : null;
  if (known !== null) return known;
  if (number !== null && number >= RTMIN && number <= RTMAX) return `SIGRTMIN+${number - RTMIN}`;
  const near = nearest(name, COMMON);
  throw new HoltError("EBADARGS", `unknown signal: "${text}"`, {
    hint: near === null ? "use a name, e.g. SIGINT, or a number" : `did you mean ${near}?`,
  });
}

function realTimeNumber(name: string): number | null {
  const [, end, sign, offset] = /^SIGRT(MIN|MAX)(?:([+-])(\d{1,2}))?$/.exec(name) ?? [];
  if (end === undefined) return null;
  const from = end === "MIN" ? RTMIN : RTMAX;
  const number = from + (sign === "-" ? -1 : 1) * Number(offset ?? 0);
  return number >= RTMIN && number <= RTMAX ? number : null;
}
