/**
 * The daemon's listening socket and its name on disk.
 *
 * The name may be removed or taken by another daemon. The inode tells: no other file can have it
 * while the socket is open.
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
  #handlers: ConnectionHandlers | null = null;
  #isDisposed = false;

  /**
   * From here on clients can connect and wait to be accepted. An existing name is replaced, so only
   * the owner of the daemon lock may call this.
   */
  constructor(path: string) {
    this.#path = path;
    this.#bound = bind(path);
  }

  listen(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    this.#bound.listen(handlers);
  }

  /** False once the socket is disposed. */
  get isMissing(): boolean {
    return !this.#isDisposed && !this.#hasName;
  }

  /** Throws if binding fails; the old socket then stays. */
  bindAgain(): void {
    const before = this.#bound;
    this.#bound = bind(this.#path);
    if (this.#handlers !== null) this.#bound.listen(this.#handlers);
    before.close();
  }

  /** The name is removed first: until the socket is closed no other file can have its inode. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (this.#hasName) unlinkIfThere(this.#path);
    this.#bound.close();
  }

  get #hasName(): boolean {
    try {
      return isSameFile(this.#bound.file, entryStat(this.#path));
    } catch {
      return true; // the file cannot be checked
    }
  }
}

interface Bound {
  file: Stat;
  listen(handlers: ConnectionHandlers): void;
  close(): void;
}

function bind(path: string): Bound {
  ensurePrivateDirectory(path.slice(0, path.lastIndexOf("/")));
  const socket = listenAt(path);
  let close = closerOf(socket);
  const file = entryStat(path);
  if (file === null) {
    close();
    throw new Error(`the socket was removed while it was bound: ${path}`);
  }
  return {
    file,
    listen(handlers) {
      const listener = new Listener({ ...handlers, listener: socket });
      close = () => listener[Symbol.dispose]();
    },
    close: () => close(),
  };
}
