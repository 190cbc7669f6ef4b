/** Sessions whose processes replace themselves every few milliseconds (test/fixtures/hopping.c, which ends by itself). */
import { expect } from "bun:test";
import { join } from "node:path";
import { Detached } from "./detached.ts";

export class HoppingBench extends Detached {
  readonly program = join(this.root, "hopping");

  constructor() {
    super();
    const source = new URL("../fixtures/hopping.c", import.meta.url).pathname;
    const built = Bun.spawnSync(["gcc", "-O1", "-o", this.program, source]);
    expect(built.stderr.toString()).toBe("");
  }

  /** Its command line: that many lanes, 10 ms a hop. */
  hopping(lock: string, lanes: number, ...words: string[]): string {
    return ["exec", this.program, lanes, 10, join(this.root, lock), ...words].join(" ");
  }

  /** Whether one of them lives. They share the lock, so this is exact however fast they hop. */
  lives(lock: string): boolean {
    return Bun.spawnSync(["flock", "-n", join(this.root, lock), "true"]).exitCode !== 0;
  }
}
