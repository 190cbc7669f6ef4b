import { availableParallelism } from "node:os";

/** Every core busy with two loops, until this is disposed of. */
export class BusyCores implements AsyncDisposable {
  readonly #loops = Array.from({ length: 2 * availableParallelism() }, () =>
    // `timeout` passes SIGTERM on to its loop, and ends it if nobody is left to do that.
    Bun.spawn(["timeout", "3600", "sh", "-c", "while :; do :; done"], { stdio: ["ignore", "ignore", "ignore"] }),
  );

  async [Symbol.asyncDispose](): Promise<void> {
    for (const loop of this.#loops) loop.kill("SIGTERM");
    await Promise.all(this.#loops.map(({ exited }) => exited));
  }
}
