/**
 * Makes the spawn spec of a start request: arguments, variables, directory, umask and executable.
 */
import { changeDirectory } from "../../platform/fs/libc-fs.ts";
import { commandLimits } from "../../platform/process/limits.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { bytesOf, startsWith, textOf } from "../../protocol/types/bytes.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import { SESSION_ID_VARIABLE } from "../../protocol/types/session-id.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import { NOT_EXECUTABLE, requireFile, resolveCommand, SpawnFailure } from "../../process/resolve-command.ts";
import type { SpawnSpec } from "../../process/transport.ts";

const MARK = bytesOf(`${SESSION_ID_VARIABLE}=`);
const EMPTY = new Uint8Array(0);

/** The arguments and environment of a command, decoded on first use. */
export class CommandWords {
  readonly #isStartedAgain: boolean;
  #encoded: Pick<StartRequest, "argv" | "env">;
  #decoded: { argv: Uint8Array[]; env: Uint8Array[] } | null = null;

  constructor({ argv, env, restart = null }: StartRequest) {
    this.#encoded = { argv, env };
    this.#isStartedAgain = restart !== null;
  }

  get argv(): Uint8Array[] {
    return this.#words().argv;
  }

  get command(): Uint8Array {
    return this.argv[0] ?? EMPTY;
  }

  /** Replaces the session id of an outer session by this one's. */
  environment(id: string): Uint8Array[] {
    return [...this.#words().env, bytesOf(`${SESSION_ID_VARIABLE}=${id}`)];
  }

  variable(key: string): Uint8Array | null {
    return variable(this.#words().env, key);
  }

  /** Frees them once the command runs, unless it may be restarted. */
  forget(): void {
    if (this.#isStartedAgain) return;
    this.#encoded = { argv: [], env: [] };
    this.#decoded = null;
  }

  #words(): { argv: Uint8Array[]; env: Uint8Array[] } {
    const decode = (entries: readonly string[]): Uint8Array[] => entries.map((entry) => Uint8Array.fromBase64(entry));
    this.#decoded ??= {
      argv: decode(this.#encoded.argv),
      env: decode(this.#encoded.env).filter((entry) => !startsWith(entry, MARK)),
    };
    return this.#decoded;
  }
}

/**
 * Enters the working directory before looking for the executable: otherwise a bad directory would
 * be reported as a missing command.
 */
export function prepareSpawn(request: StartRequest, { argv, command }: CommandWords, env: Uint8Array[]): SpawnSpec {
  const { umask, open_files, file = null, limits = null } = request;
  const directory = losslessBytes(request.cwd);
  try {
    changeDirectory(directory);
  } catch (error) {
    throw directoryFailure(textOf(directory), error);
  }
  process.umask(umask);
  const path = resolveCommand(command, variable(env, "PATH"));
  if (file !== null) requireFile(path, losslessBytes(file));
  return { path, argv, env, inherited: [], limits: commandLimits(limits, open_files) };
}

function directoryFailure(shown: string, error: unknown): SpawnFailure {
  const errno = errnoOf(error) ?? String(error);
  const why = errno === "ENOTDIR" ? "not a directory" : errno;
  const message = `cannot enter the working directory ${shown}: ${why}`;
  if (why === "EACCES" || why === "EPERM")
    return new SpawnFailure(NOT_EXECUTABLE, message, "choose a directory that the user may enter");
  return new SpawnFailure(NOT_EXECUTABLE, message, "choose an existing directory, or create it first", "ENOTFOUND");
}

/**
 * Leaves the command's directory, which may be unmounted after the command has ended. The runtime
 * does not know that the holder was in it.
 */
export function leaveDirectory(): void {
  changeDirectory("/");
}

function variable(env: readonly Uint8Array[], key: string): Uint8Array | null {
  const prefix = bytesOf(`${key}=`);
  return env.find((entry) => startsWith(entry, prefix))?.subarray(prefix.length) ?? null;
}
