/** What a decision is about, from what a holder would be told: the file that the command is, looked for as the holder will look for it. */
import { findExecutable } from "../../platform/process/find-executable.ts";
import { readlinkBytes } from "../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../platform/fs/lossless-text.ts";
import { environmentKeys, inheritedEnvironment } from "../../platform/process/raw-arguments.ts";
import { plainPath } from "../../platform/fs/plain-path.ts";
import type { Amounts, PolicyInput } from "../../policy/policy.ts";
import { bytesOf, startsWith } from "../../protocol/types/bytes.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import { ADDED, ownPath } from "../sessions/environment.ts";
import { base64Bytes } from "../calls/input-bytes.ts";

/** The kernel follows no more than this many either. */
const MAX_LINKS = 40;
const PATH = bytesOf("PATH=");

export interface DecisionContext extends Pick<PolicyInput, "caller" | "method" | "isLine" | "sessions"> {
  /** What it is decided over: most policies have no rules, and a start then looks nothing up. */
  needs: LookUps;
}

/** Whether any rule asks for the file that the command is, for its directory, for its variables. */
export type LookUps = Record<"file" | "directory" | "variables", boolean>;

export function policyInputFrom(request: StartRequest, { needs, ...by }: DecisionContext): PolicyInput {
  const { argv, env, cwd } = request;
  const command = Uint8Array.fromBase64(argv[0] ?? "");
  const directory = losslessBytes(cwd);
  const entries = needs.file || needs.variables ? env.map((entry) => Uint8Array.fromBase64(entry)) : [];
  const path = entries.find((entry) => startsWith(entry, PATH))?.subarray(PATH.length) ?? null;
  return {
    ...by,
    asked: losslessText(command),
    ...(command.length === 0 || !needs.file ? NOT_FOUND : resolvedCommand(command, path, directory)),
    cwd: needs.directory ? plainDirectory(directory) : null,
    envKeys: needs.variables ? setByCaller(entries) : [],
    ...amountsOf(request, by.sessions),
  };
}

/** `sessions`: those that the caller has. */
export function amountsOf({ argv, env, stdin = null }: StartRequest, sessions: number): Amounts {
  let envBytes = knownSizes.get(env);
  if (envBytes === undefined) knownSizes.set(env, (envBytes = sizeOf(env)));
  const inputBytes = stdin === null ? 0 : base64Bytes(stdin);
  return { argvBytes: sizeOf(argv), envBytes, inputBytes, sessions };
}

/** Of environments that many callers have (environment.ts). */
const knownSizes = new WeakMap<readonly string[], number>();

type ResolvedCommand = Pick<PolicyInput, "trail" | "isProcLink">;

const NOT_FOUND: ResolvedCommand = { trail: [], isProcLink: false };

function resolvedCommand(command: Uint8Array, path: Uint8Array | null, directory: Uint8Array): ResolvedCommand {
  const search = findExecutable(command, path, directory);
  // The holder may find one, where the way there is another for it. It executes none that was not judged.
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

/** Absolute; null where it is no link. */
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

/** Those that say something else than the daemon's own environment, from which a command has what every command needs. */
function setByCaller(entries: readonly Uint8Array[]): string[] {
  own ??= new Set([...inheritedEnvironment(), ownPath(), ...ADDED].map((entry) => entry.toBase64()));
  return environmentKeys(entries.filter((entry) => own?.has(entry.toBase64()) === false));
}

let own: ReadonlySet<string> | null = null;

/** In bytes, each with the NUL that ends it. */
function sizeOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + base64Bytes(word) + 1, 0);
}
