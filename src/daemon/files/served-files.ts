/**
 * Files of this machine, as callers of the API may have them: below a root, not holt's own, and not what the policy would then let them start.
 *
 * A path is never judged and then used. It is opened below a root by the kernel (platform/fs/beneath.ts), and what was opened is judged: where it lies is
 * asked of the file system from there upwards, so that no link, mount or other spelling says anything else.
 */
import { openBeneath } from "../../platform/fs/beneath.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { ancestorsOf, directoryAndName } from "../../platform/fs/ancestry.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { fileStat, kindOf, type Stat } from "../../platform/fs/stat.ts";
import type { Policy } from "../../policy/policy.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import type { Layout } from "../../transcript/layout.ts";
import { commandAt } from "./command-files.ts";
import { fsRoots, rootOf } from "./fs-roots.ts";
import { isAmong, OwnPaths, statOrNone } from "./own-paths.ts";
import type { CurrentPolicy } from "../policy/current-policy.ts";
import { denial } from "../calls/policy-denial.ts";

const { O_DIRECTORY, O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
const NOTHING = new Uint8Array(0);

/** An open directory, and a name in it; none: the directory itself. */
export interface FileLocation {
  readonly directory: number;
  readonly name: Uint8Array;
}

interface Opened {
  fd: number;
  policy: Policy;
}

export class ServedFiles {
  readonly #policy: CurrentPolicy;
  readonly #own: OwnPaths;

  constructor(policy: CurrentPolicy, layout: Layout) {
    this.#policy = policy;
    this.#own = new OwnPaths(layout);
  }

  /** Works with what `path` names: the descriptor is closed after it. */
  read<T>(path: string, flags: number, work: (fd: number) => T): T {
    const opened = this.#open(path, flags);
    const { fd } = opened;
    try {
      const isDirectory = kindOf(fileStat(fd)) === "directory";
      const place = isDirectory ? { directory: fd, name: NOTHING } : directoryAndName(fd);
      try {
        this.#judge(path, place, opened);
      } finally {
        if (!isDirectory) closeQuietly(place.directory);
      }
      return work(fd);
    } finally {
      closeQuietly(fd);
    }
  }

  /** Throws where that file, there or not yet, is none that a caller may have. */
  require(path: string): void {
    try {
      this.read(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, () => {});
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      this.locate(path)[Symbol.dispose]();
    }
  }

  /** For a file that is to be written. */
  locate(path: string): FileLocation & Disposable {
    const [, parent = "", file = ""] = /^(.*?)\/*([^/]*)$/s.exec(path) ?? [];
    if (file === "" || file === "." || file === "..")
      throw new HoltError("EBADARGS", `${JSON.stringify(path)} does not name a file`);
    const opened = this.#open(parent === "" ? "/" : parent, O_RDONLY | O_DIRECTORY, path);
    const place = { directory: opened.fd, name: losslessBytes(file) };
    try {
      const lineage = this.#judge(path, place, opened);
      const command = commandAt(opened.policy, place, lineage);
      if (command !== null)
        throw denial({ rule: command, why: `${path} would be a command that may be started`, kind: "rule" });
    } catch (error) {
      closeQuietly(opened.fd);
      throw error;
    }
    return { ...place, [Symbol.dispose]: () => closeQuietly(opened.fd) };
  }

  /** `asked`: as the caller named it. */
  #open(path: string, flags: number, asked = path): Opened {
    if (!path.startsWith("/") || path.includes("\0"))
      throw new HoltError("EBADARGS", `not an absolute path: ${JSON.stringify(asked.slice(0, 200))}`, {
        hint: "the daemon cannot know what it is relative to",
      });
    const { settings, policy } = this.#policy.get();
    const { root, rest } = rootOf(path, fsRoots(settings), asked);
    try {
      return { fd: openBeneath({ root, path: losslessBytes(rest), flags }), policy };
    } finally {
      closeQuietly(root);
    }
  }

  #judge(path: string, { directory, name }: FileLocation, { policy }: Opened): Stat[] {
    const lineage = ancestorsOf(directory);
    if (this.#own.isOwn({ directory: fileStat(directory), name }, lineage))
      throw new HoltError("EDENIED", `${path} is holt's own, and is not served`, {
        hint: "sessions are read with session.read, and the configuration is the user's",
        details: { path },
      });
    const { roots } = policy;
    if (roots.length > 0 && !roots.some(({ real }) => real !== null && isAmong(statOrNone(real), lineage)))
      throw denial({ rule: "policy.roots", why: `${path} lies elsewhere`, kind: "rule" });
    return lineage;
  }
}
