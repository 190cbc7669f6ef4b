/** An error as a person reads it (one line that names the thing, then perhaps a hint, filled to the width) or as JSON; and its exit code. */
import { stateError } from "../../client/state-error.ts";
import { outOfProcesses } from "../../platform/runtime-needs.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { isUnsafePathError, UNSAFE_EXIT } from "../../protocol/wire/unsafe-path.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import { safeJson } from "../../terminal/text/safe-json.ts";
import { BROKEN_PIPE_EXIT, BrokenPipe, writeErr } from "./output.ts";
import { fill, pageWidth } from "./page.ts";
import { stderrStyle } from "./style.ts";

export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

const PREFIX = "holt: ";

export interface Reporting {
  json: boolean;
  /** What the caller called the session by that the error is about. */
  reference?: string;
}

export function reportError(error: unknown, { json, reference }: Reporting): number {
  if (error instanceof BrokenPipe) return BROKEN_PIPE_EXIT;
  const known = asHoltError(stateError(error, "get at the sessions"));
  const { code, message, hint: told } = known;
  const hint = told === null ? null : inCommands(told, reference);
  writeErr(json ? `${safeJson({ error: { code, message, hint } })}\n` : errorText(message, hint));
  return exitOf(known);
}

function exitOf(error: HoltError): number {
  if (error.code === "EBADARGS") return EXIT_USAGE;
  return isUnsafePathError(error) ? UNSAFE_EXIT : EXIT_FAILURE;
}

function errorText(message: string, hint: string | null): string {
  const style = stderrStyle();
  const first = style.paint("bad", PREFIX) + oneLine(message);
  if (hint === null) return `${first}\n`;
  const width = pageWidth(style) - PREFIX.length;
  const below = hint.split("\n").flatMap((line) => fill(oneLine(line), width));
  return `${first}\n${below.map((line) => `${" ".repeat(PREFIX.length)}${line}\n`).join("")}`;
}

/** As libc has it, with the number of EAGAIN here and on macOS. */
const NO_THREAD = /\bpthread_create failed \((?:11|35)\)/;

/** What the system refused is said in its words; anything else is a fault of ours and says so. */
function asHoltError(error: unknown): HoltError {
  if (error instanceof HoltError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (errnoOf(error) === "EAGAIN" || NO_THREAD.test(message)) return outOfProcesses(error);
  if (errnoOf(error) !== null) return new HoltError("EIO", message, { cause: error });
  if (process.env["HOLT_DEBUG"] && error instanceof Error) writeErr(`${error.stack ?? ""}\n`);
  return new HoltError("EINTERNAL", `internal error: ${message}`, {
    hint: "this is a fault in holt, not in what you asked; HOLT_DEBUG=1 shows where",
    cause: error,
  });
}

/** What a hint of the daemon or of a holder says in the words of the protocol, in those of the command line. */
const VERBS: Readonly<Record<string, string>> = {
  list: "ls",
  get: "show",
  read: "logs",
  remove: "rm",
  start: "start",
  wait: "wait",
  send: "send",
  exec: "exec",
  screen: "screen",
  stop: "stop",
};

/** `reference`: what the session was called by, where one is meant. What is written for `holt call` is in methods, and stays so. */
export function inCommands(hint: string, reference = "ID"): string {
  return hint
    .replaceAll(/session\.wait \{"until": "(\w+)"\}/g, (_, until) => `\`holt wait ${reference} --until ${until}\``)
    .replaceAll(/session\.send \{"keys": \["([\w-]+)"\]\}/g, (_, keys) => `\`holt send ${reference} --keys ${keys}\``)
    .replaceAll(/session\.start \{"argv": \["(\w+)"\]\}/g, "`holt start -- $1`")
    .replaceAll(/session\.(\w+) \{"session_id": "([^"]+)"\}/g, (whole, method: string, id: string) =>
      method in VERBS ? `\`holt ${VERBS[method]} ${id}\`` : whole,
    )
    .replaceAll(/(?<!holt call )\bsession\.(\w+)\b/g, (whole, method: string) =>
      method in VERBS ? `\`holt ${VERBS[method]}\`` : whole,
    );
}
