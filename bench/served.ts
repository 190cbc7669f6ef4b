/** A server that a benchmark compares with: up once its socket is there, gone with its scope. */
import { existsSync } from "node:fs";
import type { Stage } from "./stage.ts";

export class Served implements AsyncDisposable {
  readonly #proc: Bun.Subprocess;

  private constructor(proc: Bun.Subprocess) {
    this.#proc = proc;
  }

  static async at(socket: string, argv: string[], { cwd, env }: Stage): Promise<Served> {
    const proc = Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
    while (!existsSync(socket) && proc.exitCode === null) await Bun.sleep(5);
    return new Served(proc);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill();
    await this.#proc.exited;
  }
}
