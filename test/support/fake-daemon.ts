import { mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileConstants } from "../../src/platform/native/constants.ts";
import { closerOf } from "../../src/platform/fs/descriptors.ts";
import { openSync } from "../../src/platform/fs/libc-fs.ts";
import { tryLockExclusive } from "../../src/platform/fs/lock.ts";
import type { Bench } from "./holt.ts";

/** What it does with a question once it has all of it. */
export type Reaction = (socket: Bun.Socket<string>, line: string) => void;

/** This process, as a daemon that takes every question, and answers when it is told to or as `react` does. */
export class FakeDaemon implements Disposable {
  /** Every question that came to its end. */
  readonly lines: string[] = [];
  readonly #asked = Promise.withResolvers<void>();
  readonly #sockets: Bun.Socket<string>[] = [];
  readonly #lockPath: string;
  readonly #unlock: () => void;
  readonly #listener: Bun.UnixSocketListener<string>;

  constructor(bench: Bench, react: Reaction = () => {}) {
    const run = join(bench.state, "run");
    mkdirSync(run, { recursive: true, mode: 0o700 });
    this.#lockPath = join(run, "daemon.lock");
    const lock = openSync(this.#lockPath, fileConstants.O_RDWR | fileConstants.O_CREAT, 0o600);
    tryLockExclusive(lock);
    writeFileSync(this.#lockPath, `${process.pid}\n`);
    this.#unlock = closerOf(lock);
    this.#listener = Bun.listen<string>({
      unix: join(run, "daemon.sock"),
      socket: {
        open: (socket) => {
          socket.data = "";
          this.#sockets.push(socket);
        },
        data: (socket, bytes) => {
          socket.data += bytes.toString("latin1");
          if (!socket.data.endsWith("\n")) return;
          this.lines.push(socket.data);
          this.#asked.resolve();
          react(socket, socket.data);
          socket.data = "";
        },
      },
    });
  }

  get connections(): number {
    return this.#sockets.length;
  }

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  answer(result: object): void {
    for (const socket of this.#sockets) socket.write(answerLine(result));
  }

  [Symbol.dispose](): void {
    this.#listener.stop(true);
    this.#unlock();
    unlinkSync(this.#lockPath); // it names this process, which a bench would take for a daemon to end
  }
}

export function answerLine(result: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`;
}

const { version } = (await Bun.file(new URL("../../package.json", import.meta.url)).json()) as { version: string };

/** As a daemon of this version that has started the session. */
export const done: Reaction = (socket, line) => void socket.write(answerLine(startedBy(line)));

export function startedBy(line: string, by = version): object {
  return { session_id: paramsIn(line)["session_id"], holt_version: by, process: null };
}

export function paramsIn(line: string): Record<string, unknown> {
  return (JSON.parse(line) as { params: Record<string, unknown> }).params;
}
