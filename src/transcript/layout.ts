/** Where things lie on disk. */
import { absolutePath } from "../platform/fs/absolute-path.ts";
import { withPrivateUmask } from "../platform/fs/files.ts";
import { makeDirectories } from "../platform/fs/libc-fs.ts";
import {
  createPrivateDirectory,
  openOwnDirectory,
  ensurePrivateDirectory,
  requireSafeParent,
} from "../platform/fs/own-directory.ts";
import { HoltError } from "../protocol/types/errors.ts";
import { bytesOf } from "../protocol/types/bytes.ts";

export interface Layout {
  root: string;
  sessions: string;
  run: string;
  logFile: string;
  auditFile: string;
}

/** sun_path of macOS and BSD, its closing NUL included; Linux has 108. */
const MAX_SOCKET_PATH = 104;

export function stateRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env["HOLT_STATE_DIR"]) return absolutePath(withoutTilde(env["HOLT_STATE_DIR"], env));
  if (process.platform === "win32") return `${env["LOCALAPPDATA"] || `${home(env)}\\AppData\\Local`}\\holt\\state`;
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification: a relative path is invalid and to be ignored.
  if (xdg?.startsWith("/")) return absolutePath(`${xdg}/holt`);
  return absolutePath(`${home(env)}/.local/state/holt`);
}

/** Nobody but a shell expands it: in a client's JSON it would make a directory of that very name, wherever one stands. */
function withoutTilde(path: string, env: NodeJS.ProcessEnv): string {
  if (!path.startsWith("~")) return path;
  const meant = path === "~" || path.startsWith("~/") ? home(env) + path.slice(1) : "an absolute path";
  throw new HoltError(
    "EBADARGS",
    `HOLT_STATE_DIR begins with "~", which only a shell expands: ${JSON.stringify(path)}`,
    {
      hint: `write the path out: ${meant}`,
    },
  );
}

function home(env: NodeJS.ProcessEnv): string {
  return env["HOME"] || process.getBuiltinModule("node:os").homedir();
}

export function layoutAt(root: string): Layout {
  return {
    root,
    sessions: `${root}/sessions`,
    run: `${root}/run`,
    logFile: `${root}/log/holt.jsonl`,
    auditFile: `${root}/log/audit.jsonl`,
  };
}

/** Makes what is missing, 0700 under any umask. The root may be a symlink of the user's; what is in it may not. */
export function prepareLayout(layout: Layout): void {
  requireSafeParent(layout.root);
  makeRoot(layout.root);
  for (const path of [layout.sessions, layout.run, `${layout.root}/log`]) ensurePrivateDirectory(path);
}

/** `sessions/`, for a new one: somebody may have removed it. A state directory that was removed as a whole is nobody's to make again unasked. */
export function openOrCreateSessions({ sessions }: Layout): number {
  return openOwnDirectory(sessions) ?? createPrivateDirectory(sessions);
}

/** Where the daemon listens: under its own name, as people type it into `nc -U`, unless that is too long for a socket. */
export function daemonSocketPath(layout: Layout): string {
  const inRun = `${layout.run}/daemon.sock`;
  return fitsSocketAddress(inRun) ? inRun : `${sharedSocketDirectory()}/${socketName(layout, "/daemon")}`;
}

/** Held by the daemon for as long as it lives. */
export function daemonLockPath(layout: Layout): string {
  return `${layout.run}/daemon.lock`;
}

/** The path of the holder's socket, in a directory that is there and that nobody else can write to. */
export function socketPath(layout: Layout, sessionId: string): string {
  const inRun = `${layout.run}/${socketName(layout, sessionId)}`;
  if (fitsSocketAddress(inRun)) return inRun;
  ensurePrivateDirectory(sharedSocketDirectory());
  return `${sharedSocketDirectory()}/${socketName(layout, sessionId)}`;
}

/** What of a session socketPath() takes for the socket of a channel of its own. */
export function channelSocketKey(sessionId: string, channel: string): string {
  return `${sessionId}/${channel}`;
}

/** The path that socketPath() gave, found without touching the disk. */
export function expectedSocketPath(layout: Layout, sessionId: string): string {
  const name = socketName(layout, sessionId);
  const inRun = `${layout.run}/${name}`;
  return fitsSocketAddress(inRun) ? inRun : `${sharedSocketDirectory()}/${name}`;
}

/**
 * A root that is there stays as it is: it may be /srv, or the home directory, and what is ours in it is private by itself.
 * Missing parents are made 0700 as well, as the XDG specification asks.
 */
function makeRoot(root: string): void {
  withPrivateUmask(() => makeDirectories(root, 0o700));
}

/** Two roots may hold the same id, so the name comes from both. */
function socketName(layout: Layout, sessionId: string): string {
  const hash = Bun.SHA256.hash(`${layout.root}\0${sessionId}`, "hex");
  return `${hash.slice(0, 16)}.sock`;
}

export function fitsSocketAddress(path: string): boolean {
  return bytesOf(path).length < MAX_SOCKET_PATH;
}

/** Where sockets are whose path would be too long. */
export function sharedSocketDirectory(): string {
  return `/tmp/holt-${process.getuid?.() ?? "user"}`;
}
