/**
 * Makes a start so that a holder that waits for its session has nothing left to work out (protocol/prepared-start.ts). The daemon does it: of what a command needs most is the
 * same from one call to the next, and known to it, while every holder does it for the first time.
 */
import { placesOf } from "../platform/find-executable.ts";
import { openFilesLimit } from "../platform/open-files.ts";
import { losslessBytes } from "../platform/lossless-text.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { cueOf } from "../protocol/cue.ts";
import { blockOf, type EnvironmentBlock } from "../protocol/environment-block.ts";
import { askedFor, metaText, newMeta } from "../protocol/new-meta.ts";
import { preparedMessage } from "../protocol/prepared-start.ts";
import type { Meta } from "../protocol/session.ts";
import { SESSION_MARK } from "../protocol/session-id.ts";
import { isKnownShell } from "../protocol/shells.ts";
import { VERSION } from "../protocol/version.ts";
import type { Ready, StartRequest } from "../protocol/start-request.ts";
import { type KnownEnvironment, knownEnvironment } from "./known-environment.ts";

/** Of one environment. */
const MOST_PLACES = 100;

export interface Prepared {
  message: Uint8Array;
  meta: Meta;
}

/** Null where there is more to a start than that: the holder is then told the request alone. */
export function preparedStart(request: StartRequest, ready: Ready): Prepared | null {
  const { session_id: id, size } = request;
  // After an upgrade a daemon has holders of the new version for a while. Neither knows what the other takes a cue for; one of an earlier build says less.
  if (ready.holt_version !== VERSION || typeof ready.socket !== "string") return null;
  const argv = request.argv.map((word) => Uint8Array.fromBase64(word));
  const words = argv.map(textOf);
  const [name] = argv;
  if (id === null || name === undefined || name.length === 0 || !isPlain(request, words[0] ?? "")) return null;
  const environment = knownEnvironment(request.env);
  const directory = losslessBytes(request.cwd);
  const cue = cueOf({
    directory,
    umask: request.umask,
    paths: knownPlaces(environment, name, words[0] ?? ""),
    argv,
    env: environment.block,
    mark: bytesOf(`${SESSION_MARK}=${id}`),
    limits: openFilesLimit(request.open_files),
    terminal: size === null ? null : bytesOf(ready.terminal),
  });
  if (cue === null) return null;
  const told = { argv: words, cwd: textOf(directory), env_keys: environment.keys };
  const asked = askedFor(request, told, { name: request.name, previous_session_id: null, restart: null });
  // At a terminal the one that waits is the leader; the command's pid is known when it has one.
  const awaiting = size === null ? ready.understudy : null;
  const meta = newMeta(asked, { session_id: id, holder: ready.holder, socket: ready.socket, awaiting });
  return { message: preparedMessage({ id, size, meta: bytesOf(metaText(meta)), cue }, request), meta };
}

/** Nothing is looked up, entered, opened or written for it before its command is executed. */
function isPlain(request: StartRequest, name: string): boolean {
  const { channels = [], limits = null, restart = null, file = null, stdin = null } = request;
  if (channels.length > 0 || limits !== null || restart !== null || file !== null) return false;
  if (stdin !== null) return false; // it may be long, and a holder that had begun would be left without the rest if the daemon died over it
  const { size, shell_integration = false } = request;
  return size === null || !shell_integration || !isKnownShell(name);
}

function knownPlaces({ places, path }: KnownEnvironment, name: Uint8Array, text: string): EnvironmentBlock {
  const before = places.get(text);
  if (before !== undefined) return before;
  const made = blockOf(placesOf(name, path));
  if (places.size >= MOST_PLACES) places.clear();
  // A name that is no UTF-8 looks like another one.
  if (!text.includes("\ufffd")) places.set(text, made);
  return made;
}
