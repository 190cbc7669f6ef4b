/**
 * Unix sockets straight from libc. For a single request this costs a tenth of a runtime connection.
 * The runtime's listener would spin at full speed while no descriptor is left to accept with.
 */
import { closeQuietly, setNonBlocking } from "../fs/descriptors.ts";
import { checked, lastErrno, libc, SystemError } from "../native/libc.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

const DARWIN = process.platform === "darwin";
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const BACKLOG = 1024;
/** sun_path of macOS and BSD, its closing NUL included; Linux has 108. */
const PATH_BYTES = 104;

/**
 * Connects, non-blocking. Null when no process listens; throws EAGAIN when the listener's backlog
 * is full.
 */
export function dialUnix(path: string): number | null {
  const fd = newSocket();
  setNonBlocking(fd);
  const address = addressOf(path);
  if (libc().connect(fd, address, address.length) === 0) return fd;
  const errno = lastErrno();
  closeQuietly(fd);
  if (errno === "ENOENT" || errno === "ECONNREFUSED") return null;
  throw new SystemError("connect", errno, path);
}

/** Listens, non-blocking. The name must be free. */
export function listenUnix(path: string): number {
  const fd = newSocket();
  try {
    setNonBlocking(fd);
    const address = addressOf(path);
    checked(libc().bind(fd, address, address.length), "bind", path);
    checked(libc().listen(fd, BACKLOG), "listen", path);
    return fd;
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
}

/**
 * Accepts a connection: non-blocking, close-on-exec. Null when none waits; throws when no
 * descriptor is left (EMFILE, ENFILE).
 */
export function acceptUnix(listener: number): number | null {
  const fd = libc().accept(listener, null, null);
  if (fd < 0) {
    const errno = lastErrno();
    if (errno === "EAGAIN" || errno === "EINTR" || errno === "ECONNABORTED") return null;
    throw new SystemError("accept", errno);
  }
  keepFromChildren(fd);
  setNonBlocking(fd);
  return fd;
}

/** Two ends of one connection, neither of which a child inherits. */
export function socketPair(): [number, number] {
  const fds = new Int32Array(2);
  checked(libc().socketpair(AF_UNIX, SOCK_STREAM, 0, fds), "socketpair");
  const [a = -1, b = -1] = fds;
  keepFromChildren(a);
  keepFromChildren(b);
  return [a, b];
}

export interface Peer {
  pid: number;
  user: number;
}

/** The peer's process and user by SO_PEERCRED; null on other platforms than Linux. */
export function peerOf(fd: number): Peer | null {
  const SOL_SOCKET = 1;
  const SO_PEERCRED = 17;
  if (process.platform !== "linux") return null;
  const credentials = new Int32Array(3); // pid, uid, gid
  const length = new Uint32Array([12]);
  if (libc().getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return null;
  const [pid = 0, user = -1] = credentials;
  return { pid, user };
}

function newSocket(): number {
  const fd = checked(libc().socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  keepFromChildren(fd);
  return fd;
}

function keepFromChildren(fd: number): void {
  const F_SETFD = 2;
  const FD_CLOEXEC = 1;
  libc().fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/** struct sockaddr_un. */
function addressOf(path: string): Uint8Array {
  const name = bytesOf(path);
  if (name.length >= PATH_BYTES) throw new SystemError("socket", "ENAMETOOLONG", path);
  const address = new Uint8Array(2 + name.length + 1);
  address.set(DARWIN ? [address.length, AF_UNIX] : [AF_UNIX, 0]);
  address.set(name, 2);
  return address;
}
