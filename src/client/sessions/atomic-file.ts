/**
 * Writes a file as a whole or not at all: to a draft beside it, then renamed. A FIFO or device is
 * written directly. An ending signal removes the draft; the writer must yield to the event loop for
 * the handler to run.
 */
import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { dieBy, signalNumber } from "../../platform/process/signals.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";

const BUFFER_BYTES = 256 * 1024;
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const HINTS: Record<string, string> = {
  ENOSPC: "nothing was left behind; free some space, or choose another place",
  EDQUOT: "nothing was left behind; free some space, or choose another place",
  EFBIG: "nothing was left behind; raise the limit on the size of files: `ulimit -f unlimited`",
  ENOENT: "make its directory first",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a directory: name a file in it",
  EACCES: "choose a place where you may write",
  EPERM: "choose a place where you may write",
  EROFS: "choose a place where you may write",
};

export class AtomicFile implements Disposable {
  readonly #path: string;
  /** Null if the file is written directly. */
  readonly #draft: string | null;
  readonly #target: string;
  readonly #fd: number;
  readonly #onSignal = (name: string): void => {
    this[Symbol.dispose]();
    dieBy(signalNumber(name));
  };
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    const found = this.#try(() => statSync(path, { throwIfNoEntry: false }));
    if (found?.isDirectory()) throw this.#cannotWrite("EISDIR", null);
    // A link's target is replaced, not the link.
    this.#target = found === undefined ? path : this.#try(() => realpathSync(path));
    const isPlain = found === undefined || found.isFile();
    this.#draft = isPlain
      ? join(dirname(this.#target), `.${basename(path).slice(0, 100)}.${crypto.randomUUID()}`)
      : null;
    this.#fd = this.#try(() => (this.#draft === null ? openSync(path, "w") : openSync(this.#draft, "wx", 0o666)));
    if (found?.isFile() && this.#draft !== null) chmodSync(this.#draft, found.mode & 0o777);
    for (const signal of ENDING_SIGNALS) process.on(signal, this.#onSignal);
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BUFFER_BYTES) this.#flush();
  }

  /** Gives the file its final name. */
  complete(): void {
    this.#flush();
    this.#try(() => {
      this.#close();
      if (this.#draft !== null) renameSync(this.#draft, this.#target);
    });
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) this.#close();
    if (this.#draft !== null && lstatSync(this.#draft, { throwIfNoEntry: false }) !== undefined)
      unlinkSync(this.#draft);
  }

  #close(): void {
    this.#isOpen = false;
    for (const signal of ENDING_SIGNALS) process.off(signal, this.#onSignal);
    closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#try(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    });
  }

  #try<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const errno = errnoOf(error);
      throw errno === null ? error : this.#cannotWrite(errno, error);
    }
  }

  #cannotWrite(errno: string, cause: unknown): HoltError {
    const hint = HINTS[errno];
    return new HoltError("EIO", `cannot write ${this.#path}: ${errno}`, {
      ...(hint === undefined ? {} : { hint }),
      cause,
    });
  }
}
