/**
 * The socket that the daemon listens on, as long as its name leads to it. The name may be removed, or be another daemon's by now: whether it is ours the
 * file tells, whose inode nobody else can have while the socket is open.
 */
import { closerOf } from "../../platform/fs/descriptors.ts";
import { unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import { Listener, type ListenerOptions } from "../../platform/sockets/listener.ts";
import { ensurePrivateDirectory } from "../../platform/fs/own-directory.ts";
import { entryStat, isSameFile, type Stat } from "../../platform/fs/stat.ts";
import { listenAt } from "../../transcript/bound-socket.ts";

export type ConnectionHandlers = Omit<ListenerOptions, "listener">;

export class OwnSocket implements Disposable {
  readonly #path: string;
  #bound: Bound;
  #reception: ConnectionHandlers | null = null;
  #isOver = false;

  /** Whoever dials from now on waits to be received. The name is taken from whoever has it: only for who has the lock. */
  constructor(path: string) {
    this.#path = path;
    this.#bound = bind(path);
  }

  receive(reception: ConnectionHandlers): void {
    this.#reception = reception;
    this.#bound.listen(reception);
  }

  /** Nobody misses it once it is over. */
  get isMissing(): boolean {
    return !this.#isOver && !this.#isNamed;
  }

  /** Throws where it cannot be; then it is as before. */
  bindAgain(): void {
    const before = this.#bound;
    this.#bound = bind(this.#path);
    if (this.#reception !== null) this.#bound.listen(this.#reception);
    before.close();
  }

  /** The name goes first: until the socket is closed no other file can be taken for it. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isNamed) unlinkIfThere(this.#path);
    this.#bound.close();
  }

  get #isNamed(): boolean {
    try {
      return isSameFile(this.#bound.file, entryStat(this.#path));
    } catch {
      return true; // nobody can look
    }
  }
}

interface Bound {
  file: Stat;
  listen(reception: ConnectionHandlers): void;
  close(): void;
}

function bind(path: string): Bound {
  ensurePrivateDirectory(path.slice(0, path.lastIndexOf("/")));
  const socket = listenAt(path);
  let close = closerOf(socket);
  const file = entryStat(path);
  if (file === null) {
    close();
    throw new Error(`${path} was removed at once`);
  }
  return {
    file,
    listen(reception) {
      const listener = new Listener({ ...reception, listener: socket });
      close = () => listener[Symbol.dispose]();
    },
    close: () => close(),
  };
}
