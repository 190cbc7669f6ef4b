/** c/typist.c, driven from here: one that stays attached, and types when it is its turn. */
import type { Stage } from "./stage.ts";

export class Typist implements AsyncDisposable {
  readonly #proc: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #lines: AsyncGenerator<string>;
  #turn = 0;

  private constructor(argv: string[], { cwd, env }: Stage) {
    this.#proc = Bun.spawn(argv, { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    this.#lines = linesOf(this.#proc.stdout);
  }

  /** Once it is attached and nothing moves. */
  static async at(argv: string[], stage: Stage): Promise<Typist> {
    const typist = new Typist(argv, stage);
    await typist.#until();
    return typist;
  }

  /** Milliseconds from each key to its echo. */
  async type(count: number): Promise<number[]> {
    void this.#proc.stdin.write(`${count} ${++this.#turn}\n`);
    await this.#proc.stdin.flush();
    return (await this.#until()).map((line) => Number(line) / 1e6);
  }

  async #until(): Promise<string[]> {
    const seen: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error("the typist hung up");
      if (value === "done") return seen;
      seen.push(value);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill();
    await this.#proc.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
