/** A person at a terminal: a real PTY whose output is gathered, and waited for by what appears in it. */

/** Of what was seen instead. */
const MAX_TOLD = 8000;

export class TerminalUser implements AsyncDisposable {
  readonly proc: ReturnType<typeof Bun.spawn>;
  readonly #decoder = new TextDecoder();
  readonly chunks: Uint8Array[] = [];
  text = "";
  #waiting: { needle: string | RegExp; from: number; done: () => void }[] = [];

  constructor(
    argv: string[],
    { env, cwd, cols = 80, rows = 24 }: { env: Record<string, string>; cwd: string; cols?: number; rows?: number },
  ) {
    // Options, not a Terminal: only then does Bun make it the controlling terminal of a new session.
    this.proc = Bun.spawn(argv, {
      env: { TERM: "xterm-256color", ...env },
      cwd,
      terminal: {
        cols,
        rows,
        data: (_, bytes) => {
          this.chunks.push(bytes.slice());
          this.text += this.#decoder.decode(bytes, { stream: true });
          this.#check();
        },
      },
    });
  }

  get #terminal(): Bun.Terminal {
    if (this.proc.terminal === undefined) throw new Error("no terminal");
    return this.proc.terminal;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get localFlags(): number {
    return this.#terminal.localFlags;
  }

  type(text: string | Uint8Array): void {
    this.#terminal.write(text);
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  /** Closes the terminal window. */
  hangUp(): void {
    this.#terminal.close();
  }

  /** Resolves when the needle appears after `from`; fails with what was seen instead. */
  async sees(needle: string | RegExp, { from = 0, ms = 20_000 } = {}): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () =>
        reject(new Error(`never saw ${String(needle)}; saw ${JSON.stringify(this.text.slice(from).slice(-MAX_TOLD))}`)),
      ms,
    );
    this.#waiting.push({ needle, from, done: resolve });
    this.#check();
    await promise.finally(() => clearTimeout(timer));
  }

  async exit(): Promise<{ exitCode: number | null; signal: string | null }> {
    await this.proc.exited;
    return {
      exitCode: this.proc.exitCode,
      signal: this.proc.signalCode === null ? null : String(this.proc.signalCode),
    };
  }

  #check(): void {
    this.#waiting = this.#waiting.filter(({ needle, from, done }) => {
      const text = this.text.slice(from);
      const seen = typeof needle === "string" ? text.includes(needle) : needle.test(text);
      if (seen) done();
      return !seen;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.proc.exitCode === null && this.proc.signalCode === null) this.proc.kill("SIGKILL");
    await this.proc.exited;
    if (!this.#terminal.closed) this.#terminal.close();
  }
}
