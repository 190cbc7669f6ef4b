/** An environment as a start asks for it, taken apart once: callers that set nothing all have the same one (daemon/environment.ts). */
import { DEFAULT_PATH } from "../platform/find-executable.ts";
import { environmentKeys } from "../platform/raw-arguments.ts";
import { bytesOf, startsWith } from "../protocol/bytes.ts";
import { blockOf, type EnvironmentBlock } from "../protocol/environment-block.ts";
import { SESSION_MARK } from "../protocol/session-id.ts";

const MARK_IS = bytesOf(`${SESSION_MARK}=`);
const PATH_IS = bytesOf("PATH=");

export interface KnownEnvironment {
  /** Without the mark, whoever set one. */
  block: EnvironmentBlock;
  /** Of what was asked for. */
  asked: string[];
  /** Of what the command has: with the mark. */
  keys: string[];
  path: Uint8Array;
  /** By name: where a command may lie. */
  places: Map<string, EnvironmentBlock>;
}

const known = new WeakMap<readonly string[], KnownEnvironment>();

/** `encoded`: entries, base64. */
export function knownEnvironment(encoded: readonly string[]): KnownEnvironment {
  const before = known.get(encoded);
  if (before !== undefined) return before;
  const all = encoded.map((entry) => Uint8Array.fromBase64(entry));
  const entries = all.filter((entry) => !startsWith(entry, MARK_IS));
  const asked = environmentKeys(all);
  const keys = asked.includes(SESSION_MARK) ? asked : [...asked, SESSION_MARK].toSorted();
  const path = entries.find((entry) => startsWith(entry, PATH_IS))?.subarray(PATH_IS.length) ?? DEFAULT_PATH;
  const made = { block: blockOf(entries), asked, keys, path, places: new Map<string, EnvironmentBlock>() };
  known.set(encoded, made);
  return made;
}
