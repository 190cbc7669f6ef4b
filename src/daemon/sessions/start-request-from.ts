/** The start request for a holder, from the parameters of a method that starts a session. */
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

/** As session.start has them; of exec.* stdin may be true, which is the same as leaving it out. */
type StartParams = Omit<Parsed<"session.start">, "stdin"> & { stdin?: Parsed<"exec.run">["stdin"] | undefined };

const DEFAULTS = sessionStart.params.parse({});

const DEFAULT_UMASK = 0o022;
/** Of a wrong value. */
const SHOWN = 40;

/** Parameters that a method does not have are those of session.start by default. */
export function startRequestFrom(params: Partial<StartParams>, settings: CurrentSettings): StartRequest {
  const asked: StartParams = { ...DEFAULTS, ...params };
  const size = asked.pty === false ? null : (asked.pty ?? DEFAULT_SIZE);
  const request: StartRequest = {
    argv: argvOf(asked, settings),
    env: environmentOf(asked, size !== null),
    cwd: directoryOf(asked),
    umask: asked.umask ?? DEFAULT_UMASK,
    open_files: asked.open_files ?? callersOpenFiles(),
    session_id: asked.session_id === null ? null : requireSessionId(asked.session_id),
    name: asked.name === null ? null : requireName(asked.name),
    project_id: asked.project_id,
    retention_seconds: asked.retention_seconds,
    max_output_bytes: asked.max_output_bytes,
    timeout_ms: asked.timeout_ms,
    idle_timeout_ms: asked.idle_timeout_ms ?? null,
    max_clients: asked.max_clients,
    slow_client: asked.slow_client,
    slow_client_ms: asked.slow_client_ms,
    size_rule: asked.size_rule,
    input: asked.input,
    restart: asked.restart,
    stdin: stdinOf(asked),
    limits: asked.limits,
    linger: asked.linger,
    shell_integration: asked.shell_integration,
    size,
  };
  return asked.channels.length === 0 ? request : { ...request, channels: asked.channels };
}

function environmentOf({ env, env_base64, env_mode }: StartParams, hasTerminal: boolean): readonly string[] {
  if (env_base64 === undefined) return environmentFrom({ env, env_mode, hasTerminal });
  const entries = env_base64.map((entry) => bytesWithoutNul(entry, "env_base64"));
  return hasTerminal ? withTerm(entries) : entries;
}

function argvOf(asked: StartParams, settings: CurrentSettings): string[] {
  const { argv, argv_base64, command, pty } = asked;
  if (argv !== undefined && argv_base64 === undefined && command === undefined) return argv.map(word);
  const given = [argv, argv_base64, command].filter((form) => form !== undefined);
  if (given.length !== 1)
    throw new HoltError("EBADARGS", `session.start needs ${oneOf(given)} of argv, argv_base64 and command`, {
      hint: 'e.g. {"argv": ["npm", "test"]}',
    });
  if (argv_base64 !== undefined) return argv_base64.map((entry) => bytesWithoutNul(entry, "argv_base64"));
  const shell = shellFrom(asked, settings.get()["pty.default_shell"]);
  // No line at all is a shell to sit down at.
  return (command === "" && pty !== false ? [shell] : [shell, "-c", command ?? ""]).map(word);
}

/** Whether there is none yet, or too many. */
export function oneOf(given: readonly unknown[]): string {
  return given.length === 0 ? "one" : "only one";
}

/** The kernel would take what follows a NUL for something else, or for nothing; and whoever counts words would count others than it does. */
function word(text: string): string {
  if (text.includes("\0")) throw hasNul("an argument");
  return bytesOf(text).toBase64();
}

function bytesWithoutNul(base64: string, field: string): string {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64);
  } catch {
    throw new HoltError("EBADARGS", `${field} is not base64: ${JSON.stringify(base64.slice(0, SHOWN))}`);
  }
  if (bytes.includes(0)) throw hasNul(`an entry of ${field}`);
  return base64;
}

function hasNul(what: string): HoltError {
  return new HoltError("EBADARGS", `${what} has no NUL`, { hint: "stdin takes any byte" });
}

/** Base64; null: it stays open. */
function stdinOf({ stdin, pty }: StartParams): string | null {
  if (stdin === undefined || stdin === true) return null;
  if (pty !== false)
    throw new HoltError("EBADARGS", "stdin goes with pty: false", {
      hint: "what is typed at a terminal is sent with session.send",
    });
  const bytes =
    stdin === false ? 0 : typeof stdin === "string" ? Buffer.byteLength(stdin) : (stdin.data.length * 3) / 4;
  if (bytes > MAX_STDIN_BYTES)
    throw new HoltError("EBADARGS", `stdin is ${Math.floor(bytes)} bytes, and a start takes ${MAX_STDIN_BYTES}`, {
      hint: "start it without, and send the bytes with session.send, the last of them with eof",
    });
  if (stdin === false) return "";
  return typeof stdin === "string" ? bytesOf(stdin).toBase64() : stdin.data;
}

function directoryOf({ cwd }: StartParams): string {
  const directory = cwd ?? process.env["HOME"] ?? "/";
  if (directory.startsWith("/")) return directory;
  throw new HoltError("EBADARGS", `cwd is not absolute: ${JSON.stringify(directory)}`, {
    hint: "the daemon cannot know what it is relative to",
  });
}
