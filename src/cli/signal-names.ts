import { signalNumberOf } from "../platform/constants.ts";
import { HoltError } from "../protocol/errors.ts";
import { nearest } from "../protocol/nearest.ts";

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

/** "int", "INT", "SIGINT" and "2" are all SIGINT. */
export function signalFrom(text: string): string {
  const upper = text.toUpperCase();
  const name = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (signalNumberOf(name) !== null || /^SIGRTMIN\+\d{1,2}$/.test(name)) return name;
  const byNumber = /^\d{1,2}$/.test(text) ? COMMON.find((known) => signalNumberOf(known) === Number(text)) : undefined;
  if (byNumber !== undefined) return byNumber;
  const near = nearest(name, COMMON);
  throw new HoltError("EBADARGS", `unknown signal "${text}"`, {
    hint: near === null ? "use a name, e.g. SIGINT" : `did you mean ${near}?`,
  });
}
