/**
 * A directory of cgroup v2 of the test's own, in a mount of the test's own: sessions get their groups in there. Where this machine cannot give one that shares
 * out memory and pids, the reason, said loudly: what is not tried must not look as if it had been.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class ControlGroups implements Disposable {
  readonly #mount: string;
  readonly parent: string;

  private constructor(mount: string) {
    this.#mount = mount;
    this.parent = join(mount, `holt-test-${process.pid}`);
  }

  /** Null where cgroup v2 cannot be had at all. */
  static mounted(): ControlGroups | null {
    const mount = mkdtempSync(join(tmpdir(), "cg-"));
    if (Bun.spawnSync(["mount", "-t", "cgroup2", "none", mount]).exitCode !== 0) {
      rmdirSync(mount);
      return null;
    }
    const groups = new ControlGroups(mount);
    mkdirSync(groups.parent);
    return groups;
  }

  /** Those that a group in there cannot have. */
  lacking(): string[] {
    const there = readFileSync(join(this.parent, "cgroup.controllers"), "utf8");
    return ["memory", "pids"].filter((controller) => !there.split(/\s+/).includes(controller));
  }

  share(): void {
    writeFileSync(join(this.parent, "cgroup.subtree_control"), "+memory +pids");
  }

  /** The groups that are there now. */
  list(): string[] {
    return readdirSync(this.parent).filter((name) => statSync(join(this.parent, name)).isDirectory());
  }

  pids(name: string): number[] {
    return readFileSync(join(this.parent, name, "cgroup.procs"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map(Number);
  }

  [Symbol.dispose](): void {
    for (const name of this.list()) rmdirSync(join(this.parent, name));
    rmdirSync(this.parent);
    Bun.spawnSync(["umount", this.#mount]);
    rmdirSync(this.#mount);
  }
}

/** Why sessions cannot have limits as a whole here; null where they can. */
export function whyNoSessionLimits(): string | null {
  using groups = ControlGroups.mounted();
  if (groups === null) return "cgroup v2 cannot be mounted (it takes root)";
  const lacking = groups.lacking();
  return lacking.length === 0 ? null : `cgroup v2 shares out no ${lacking.join(" and no ")} on this machine`;
}
