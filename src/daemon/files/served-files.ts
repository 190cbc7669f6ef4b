/**
 * Serves this machine's files to API callers: below a root, not holt's own, and not commands that
 * the policy allows.
 *
 * A path is never checked and then opened. The kernel opens it below a root
 * (platform/fs/beneath.ts), and the open file's location is checked by walking up from there, so no
 * symlink, mount or spelling can evade the check.
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
import { allowRuleFor } from "./command-files.ts";
import { fsRoots, rootOf } from "./fs-roots.ts";
import { isAmong, OwnPaths, statOrNone } from "./own-paths.ts";
import type { CurrentPolicy } from "../policy/current-policy.ts";
import { policyDenial } from "../calls/policy-denial.ts";

const { O_DIRECTORY, O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
const NO_NAME = new Uint8Array(0);

/** An open directory and a name in it; an empty name is the directory itself. */
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

  /** Passes the file's descriptor to `work` and closes it afterwards. */
  read<T>(path: string, flags: number, work: (fd: number) => T): T {
    const opened = this.#open(path, flags);
    const { fd } = opened;
    try {
      const isDirectory = kindOf(fileStat(fd)) === "directory";
      const location = isDirectory ? { directory: fd, name: NO_NAME } : directoryAndName(fd);
      try {
        this.#check(path, location, opened);
      } finally {
        if (!isDirectory) closeQuietly(location.directory);
      }
      return work(fd);
    } finally {
      closeQuietly(fd);
    }
  }

  /** Throws if the file, existing or not, must not be served. */
  require(path: string): void {
    try {
      this.read(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, () => {});
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      this.locate(path)[Symbol.dispose]();
    }
  }

  /** The location for a file to be written. */
  locate(path: string): FileLocation & Disposable {
    const [, parent = "", file = ""] = /^(.*?)\/*([^/]*)$/s.exec(path) ?? [];
    if (file === "" || file === "." || file === "..")
      throw new HoltError("EBADARGS", `${JSON.stringify(path)} does not name a file`);
    const opened = this.#open(parent === "" ? "/" : parent, O_RDONLY | O_DIRECTORY, path);
    const location = { directory: opened.fd, name: losslessBytes(file) };
    try {
      const ancestors = this.#check(path, location, opened);
      const rule = allowRuleFor(opened.policy, location, ancestors);
      if (rule !== null) throw policyDenial({ rule, why: `${path} would become an allowed command`, kind: "rule" });
    } catch (error) {
      closeQuietly(opened.fd);
      throw error;
    }
    return { ...location, [Symbol.dispose]: () => closeQuietly(opened.fd) };
  }

  /** `requested`: the path as the caller named it. */
  #open(path: string, flags: number, requested = path): Opened {
    if (!path.startsWith("/") || path.includes("\0"))
      throw new HoltError("EBADARGS", `not an absolute path: ${JSON.stringify(requested.slice(0, 200))}`, {
        hint: "the daemon has no directory to resolve it against",
      });
    const { settings, policy } = this.#policy.get();
    const { root, rest } = rootOf(path, fsRoots(settings), requested);
    try {
      return { fd: openBeneath({ root, path: losslessBytes(rest), flags }), policy };
    } finally {
      closeQuietly(root);
    }
  }

  #check(path: string, { directory, name }: FileLocation, { policy }: Opened): Stat[] {
    const ancestors = ancestorsOf(directory);
    if (this.#own.isOwn({ directory: fileStat(directory), name }, ancestors))
      throw new HoltError("EDENIED", `${path} belongs to holt and is not served`, {
        hint: "read sessions with session.read; the configuration belongs to the user",
        details: { path },
      });
    const { roots } = policy;
    if (roots.length > 0 && !roots.some(({ real }) => real !== null && isAmong(statOrNone(real), ancestors)))
      throw policyDenial({ rule: "policy.roots", why: `${path} is outside the allowed roots`, kind: "rule" });
    return ancestors;
  }
}
