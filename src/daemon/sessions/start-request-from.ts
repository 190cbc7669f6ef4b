/** Builds a holder's start request from the parameters of a method that starts a session. */
import { callersOpenFiles } from "../../platform/process/open-files.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { requireName } from "../../protocol/types/session-name.ts";
import { requireSessionId } from "../../protocol/types/session-id.ts";
import { DEFAULT_SIZE, MAX_STDIN_BYTES, type StartRequest } from "../../protocol/wire/start-request.ts";
import { sessionStart } from "../../protocol/methods/rows/session-start.schema.ts";
import type { Parsed } from "../../protocol/methods/table.schema.ts";
import type { CurrentSettings } from "../current-settings.ts";
import { environmentFrom, shellFrom, withTerm } from "./environment.ts";

/** Parameters of session.start; exec.* also allow stdin: true, which equals leaving it out. */
type StartParams = Omit<Parsed<"session.start">, "stdin"> & { stdin?: Parsed<"exec.run">["stdin"] | undefined };

const DEFAULTS = sessionStart.params.parse({});

const DEFAULT_UMASK = 0o022;
/** Length of a wrong value in an error. */
const MAX_SHOWN = 40;

/** Parameters that a method lacks take their defaults from session.start. */
export function startRequestFrom(given: Partial<StartParams>, settings: CurrentSettings): StartRequest {
  const params: StartParams = { ...DEFAULTS, ...given };
  const size = params.pty === false ? null : (params.pty ?? DEFAULT_SIZE);
  const request: StartRequest = {
    argv: argvOf(params, settings),
    env: environmentOf(params, size !== null),
    cwd: directoryOf(params),
    umask: params.umask ?? DEFAULT_UMASK,
    open_files: params.open_files ?? callersOpenFiles(),
    session_id: params.session_id === null ? null : requireSessionId(params.session_id),
    name: params.name === null ? null : requireName(params.name),
    project_id: params.project_id,
    retention_seconds: params.retention_seconds,
    max_output_bytes: params.max_output_bytes,
    timeout_ms: params.timeout_ms,
    idle_timeout_ms: params.idle_timeout_ms ?? null,
    max_clients: params.max_clients,
    slow_client: params.slow_client,
    slow_client_ms: params.slow_client_ms,
    size_rule: params.size_rule,
    input: params.input,
    restart: params.restart,
    stdin: stdinOf(params),
    limits: params.limits,
    linger: params.linger,
    shell_integration: params.shell_integration,
    size,
  };
  return params.channels.length === 0 ? request : { ...request, channels: params.channels };
}

function environmentOf({ env, env_base64, env_mode }: StartParams, hasTerminal: boolean): readonly string[] {
  if (env_base64 === undefined) return environmentFrom({ env, env_mode, hasTerminal });
  const entries = env_base64.map((entry) => bytesWithoutNul(entry, "env_base64"));
  return hasTerminal ? withTerm(entries) : entries;
}

function argvOf(params: StartParams, settings: CurrentSettings): string[] {
  const { argv, argv_base64, command, pty } = params;
  if (argv !== undefined && argv_base64 === undefined && command === undefined) return argv.map(encodedWord);
  const given = [argv, argv_base64, command].filter((form) => form !== undefined);
  if (given.length !== 1)
    throw new HoltError("EBADARGS", `session.start needs ${oneOf(given)} of argv, argv_base64 and command`, {
      hint: 'e.g. {"argv": ["npm", "test"]}',
    });
  if (argv_base64 !== undefined) return argv_base64.map((entry) => bytesWithoutNul(entry, "argv_base64"));
  const shell = shellFrom(params, settings.get()["pty.default_shell"]);
  // An empty command line starts the interactive shell.
  return (command === "" && pty !== false ? [shell] : [shell, "-c", command ?? ""]).map(encodedWord);
}

/** For an error about zero or several of exclusive parameters. */
export function oneOf(given: readonly unknown[]): string {
  return given.length === 0 ? "one" : "only one";
}

/** The kernel ends an argument at a NUL, so the byte would split or drop arguments. */
function encodedWord(text: string): string {
  if (text.includes("\0")) throw containsNul("an argument");
  return bytesOf(text).toBase64();
}

function bytesWithoutNul(base64: string, field: string): string {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64);
  } catch {
    throw new HoltError("EBADARGS", `${field} is not base64: ${JSON.stringify(base64.slice(0, MAX_SHOWN))}`);
  }
  if (bytes.includes(0)) throw containsNul(`an entry of ${field}`);
  return base64;
}

function containsNul(what: string): HoltError {
  return new HoltError("EBADARGS", `${what} contains a NUL byte`, { hint: "stdin accepts any byte" });
}

/** Base64; null: stdin stays open. */
function stdinOf({ stdin, pty }: StartParams): string | null {
  if (stdin === undefined || stdin === true) return null;
  if (pty !== false)
    throw new HoltError("EBADARGS", "stdin needs pty: false", {
      hint: "send input to a terminal with session.send",
    });
  const bytes =
    stdin === false ? 0 : typeof stdin === "string" ? Buffer.byteLength(stdin) : (stdin.data.length * 3) / 4;
  if (bytes > MAX_STDIN_BYTES)
    throw new HoltError("EBADARGS", `stdin is too large: ${Math.floor(bytes)} bytes, at most ${MAX_STDIN_BYTES}`, {
      hint: "start without stdin, then send the bytes with session.send, the last with eof",
    });
  if (stdin === false) return "";
  return typeof stdin === "string" ? bytesOf(stdin).toBase64() : stdin.data;
}

function directoryOf({ cwd }: StartParams): string {
  const directory = cwd ?? process.env["HOME"] ?? "/";
  if (directory.startsWith("/")) return directory;
  throw new HoltError("EBADARGS", `cwd is not absolute: ${JSON.stringify(directory)}`, {
    hint: "the daemon has no directory to resolve it against",
  });
}
