/**
 * The input of a policy decision, from a start request. The command's file is looked up the way the
 * holder will look it up.
 */
import { findExecutable } from "../../platform/process/find-executable.ts";
import { readlinkBytes } from "../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../platform/fs/lossless-text.ts";
import { environmentKeys, inheritedEnvironment } from "../../platform/process/raw-arguments.ts";
import { plainPath } from "../../platform/fs/plain-path.ts";
import type { StartSizes, PolicyInput } from "../../policy/policy.ts";
import { bytesOf, startsWith } from "../../protocol/types/bytes.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import { DEFAULT_ENTRIES, ownPath } from "../sessions/environment.ts";
import { base64Bytes } from "../calls/input-bytes.ts";

/** The kernel's own limit. */
const MAX_LINKS = 40;
const PATH = bytesOf("PATH=");

export interface DecisionContext extends Pick<PolicyInput, "caller" | "method" | "isLine" | "sessions"> {
  /** The lookups that the policy needs; without rules a start looks nothing up. */
  lookUps: LookUps;
}

/** True if a rule depends on the command's file, the directory, the variables. */
export type LookUps = Record<"file" | "directory" | "variables", boolean>;

export function policyInputFrom(request: StartRequest, { lookUps, ...by }: DecisionContext): PolicyInput {
  const { argv, env, cwd } = request;
  const command = Uint8Array.fromBase64(argv[0] ?? "");
  const directory = losslessBytes(cwd);
  const entries = lookUps.file || lookUps.variables ? env.map((entry) => Uint8Array.fromBase64(entry)) : [];
  const path = entries.find((entry) => startsWith(entry, PATH))?.subarray(PATH.length) ?? null;
  return {
    ...by,
    argv0: losslessText(command),
    ...(command.length === 0 || !lookUps.file ? NOT_FOUND : resolvedCommand(command, path, directory)),
    cwd: lookUps.directory ? plainDirectory(directory) : null,
    envKeys: lookUps.variables ? setByCaller(entries) : [],
    ...startSizesOf(request, by.sessions),
  };
}

/** `sessions`: running sessions of the caller. */
export function startSizesOf({ argv, env, stdin = null }: StartRequest, sessions: number): StartSizes {
  let envBytes = knownSizes.get(env);
  if (envBytes === undefined) knownSizes.set(env, (envBytes = sizeOf(env)));
  const inputBytes = stdin === null ? 0 : base64Bytes(stdin);
  return { argvBytes: sizeOf(argv), envBytes, inputBytes, sessions };
}

/** Sizes of environments that many callers share (environment.ts). */
const knownSizes = new WeakMap<readonly string[], number>();

type ResolvedCommand = Pick<PolicyInput, "trail" | "isProcLink">;

const NOT_FOUND: ResolvedCommand = { trail: [], isProcLink: false };

function resolvedCommand(command: Uint8Array, path: Uint8Array | null, directory: Uint8Array): ResolvedCommand {
  const search = findExecutable(command, path, directory);
  // The holder may still find a file by another path; it executes only the file that was judged.
  if (search.kind !== "found") return NOT_FOUND;
  const real = plainPath(search.path);
  if (real.kind !== "plain") return { trail: [], isProcLink: real.kind === "unresolvable" };
  const trail = [losslessText(search.path)];
  for (let at = search.path; trail.length < MAX_LINKS; ) {
    const target = linkTarget(at);
    if (target === null) break;
    trail.push(losslessText(target));
    at = target;
  }
  return { trail: [...trail, losslessText(real.path)], isProcLink: false };
}

function plainDirectory(directory: Uint8Array): string | null {
  const real = plainPath(directory);
  return real.kind === "plain" ? losslessText(real.path) : null;
}

/** The absolute target; null if it is not a symlink. */
function linkTarget(path: Uint8Array): Uint8Array | null {
  const text = losslessText(path);
  try {
    const target = losslessText(readlinkBytes(path));
    if (target.startsWith("/")) return losslessBytes(target);
    return losslessBytes(`${text.slice(0, text.lastIndexOf("/"))}/${target}`);
  } catch {
    return null;
  }
}

/** Variables whose values differ from the daemon's own environment, which supplies the defaults. */
function setByCaller(entries: readonly Uint8Array[]): string[] {
  own ??= new Set([...inheritedEnvironment(), ownPath(), ...DEFAULT_ENTRIES].map((entry) => entry.toBase64()));
  return environmentKeys(entries.filter((entry) => own?.has(entry.toBase64()) === false));
}

let own: ReadonlySet<string> | null = null;

/** Total bytes, each word with its terminating NUL. */
function sizeOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + base64Bytes(word) + 1, 0);
}
