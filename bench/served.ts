/** A server that a benchmark compares with: up once its socket listens, gone with its scope. */
import { readFileSync } from "node:fs";
import type { Stage } from "./stage.ts";

const LISTENS = "00010000";

export class Served implements AsyncDisposable {
  readonly #proc: Bun.Subprocess;

  private constructor(proc: Bun.Subprocess) {
    this.#proc = proc;
  }

  static async at(socket: string, argv: string[], { cwd, env }: Stage): Promise<Served> {
    const proc = Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
    await untilListening(socket, proc);
    return new Served(proc);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill();
    await this.#proc.exited;
  }
}

/** The socket's file is there a moment before anything listens, so the kernel's table is read. */
export async function untilListening(socket: string, server: Bun.Subprocess): Promise<void> {
  const isIt = (line: string): boolean => line.endsWith(` ${socket}`) && line.split(" ")[3] === LISTENS;
  while (!readFileSync("/proc/net/unix", "latin1").split("\n").some(isIt)) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error(`${socket}: its server has ended`);
    await Bun.sleep(2);
  }
}
