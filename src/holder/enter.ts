/** Where a command is started from: its directory, its umask, and the file that it is. */
import { changeDirectory } from "../platform/fs.ts";
import { commandLimits } from "../platform/limits.ts";
import { losslessBytes } from "../platform/lossless-text.ts";
import { bytesOf, startsWith, textOf } from "../protocol/bytes.ts";
import { errnoOf } from "../protocol/errors.ts";
import type { StartRequest } from "../protocol/start-request.ts";
import { NOT_EXECUTABLE, requireFile, resolveCommand, SpawnFailure } from "../process/resolve-command.ts";
import type { SpawnSpec } from "../process/transport.ts";

const NOTHING = new Uint8Array(0);

type Entered = Pick<StartRequest, "cwd" | "umask" | "open_files" | "file" | "limits"> & {
  argv: Uint8Array[];
  env: Uint8Array[];
};

/** The working directory is looked at first: a bad one would otherwise be reported as a missing command. */
export function enter({ cwd, umask, open_files, file = null, limits, argv, env }: Entered): SpawnSpec {
  const directory = losslessBytes(cwd);
  try {
    changeDirectory(directory);
  } catch (error) {
    throw notEntered(textOf(directory), error);
  }
  process.umask(umask);
  const path = resolveCommand(argv[0] ?? NOTHING, variable(env, "PATH"));
  if (file !== null) requireFile(path, losslessBytes(file));
  return {
    path,
    argv,
    env,
    inherited: [],
    limits: commandLimits(limits ?? null, open_files),
  };
}

function notEntered(shown: string, error: unknown): SpawnFailure {
  const errno = errnoOf(error) ?? String(error);
  const why = errno === "ENOTDIR" ? "not a directory" : errno;
  const message = `cannot enter the working directory ${shown}: ${why}`;
  if (why === "EACCES" || why === "EPERM")
    return new SpawnFailure(NOT_EXECUTABLE, message, "choose one that its user may enter");
  return new SpawnFailure(NOT_EXECUTABLE, message, "choose a directory that is there, or make it first", "ENOTFOUND");
}

/** The directory is the command's, and may be unmounted once that has ended. The runtime was never told that we are in it. */
export function leave(): void {
  changeDirectory("/");
}

export function variable(env: readonly Uint8Array[], key: string): Uint8Array | null {
  const prefix = bytesOf(`${key}=`);
  return env.find((entry) => startsWith(entry, prefix))?.subarray(prefix.length) ?? null;
}
