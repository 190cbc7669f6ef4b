/**
 * Prints an error as text (one line, then a hint filled to the terminal's width) or as JSON, and
 * maps it to an exit code.
 */
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

export interface ReportOptions {
  json: boolean;
  /** The session as the user named it, for hints. */
  reference?: string;
}

export function reportError(error: unknown, { json, reference }: ReportOptions): number {
  if (error instanceof BrokenPipe) return BROKEN_PIPE_EXIT;
  const known = asHoltError(stateError(error, "access the sessions"));
  const { code, message } = known;
  const hint = known.hint === null ? null : hintInCommands(known.hint, reference);
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

/**
 * The runtime's message when it cannot start a thread. The number is EAGAIN: 11 on Linux, 35 on
 * macOS.
 */
const NO_THREAD = /\bpthread_create failed \((?:11|35)\)/;

/**
 * System errors keep their message, except EAGAIN, which is taken to mean that no process or thread
 * can be started. Any other error is reported as a bug in holt.
 */
function asHoltError(error: unknown): HoltError {
  if (error instanceof HoltError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (errnoOf(error) === "EAGAIN" || NO_THREAD.test(message)) return outOfProcesses(error);
  if (errnoOf(error) !== null) return new HoltError("EIO", message, { cause: error });
  if (process.env["HOLT_DEBUG"] && error instanceof Error) writeErr(`${error.stack ?? ""}\n`);
  return new HoltError("EINTERNAL", `internal error: ${message}`, {
    hint: "this is a bug in holt; set HOLT_DEBUG=1 to see its stack",
    cause: error,
  });
}

/** `session.X` in a hint of the daemon or of a holder → the holt command. */
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

/**
 * Replaces methods in a hint by commands, one pattern each:
 *
 *     session.wait {"until": "prompt"}        `holt wait ID --until prompt`
 *     session.send {"keys": ["ctrl-c"]}       `holt send ID --keys ctrl-c`
 *     session.start {"argv": ["bash"]}        `holt start -- bash`
 *     session.read {"session_id": "k3f9q2"}   `holt logs k3f9q2`
 *     session.get                             `holt show`
 *
 * `holt call session.get '{…}'` stays. Only the last pattern has to exclude it: the quote before
 * the parameters keeps the others from matching. `reference`: the session as the user named it.
 */
export function hintInCommands(hint: string, reference = "ID"): string {
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
