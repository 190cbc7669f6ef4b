/** Paths of the state directory. */
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

/** Size of sun_path on macOS and BSD, the final NUL included; Linux has 108. */
const MAX_SOCKET_PATH = 104;

export function stateRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env["HOLT_STATE_DIR"]) return absolutePath(withoutTilde(env["HOLT_STATE_DIR"], env));
  if (process.platform === "win32") return `${env["LOCALAPPDATA"] || `${home(env)}\\AppData\\Local`}\\holt\\state`;
  const xdg = env["XDG_STATE_HOME"];
  // XDG specification: a relative path is invalid and ignored.
  if (xdg?.startsWith("/")) return absolutePath(`${xdg}/holt`);
  return absolutePath(`${home(env)}/.local/state/holt`);
}

/**
 * Refuses "~": only a shell expands it. From a client's JSON it would create a directory with that
 * name.
 */
function withoutTilde(path: string, env: NodeJS.ProcessEnv): string {
  if (!path.startsWith("~")) return path;
  const expanded = path === "~" || path.startsWith("~/") ? home(env) + path.slice(1) : "an absolute path";
  throw new HoltError(
    "EBADARGS",
    `HOLT_STATE_DIR begins with "~", which only a shell expands: ${JSON.stringify(path)}`,
    {
      hint: `write the path out: ${expanded}`,
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

/**
 * Creates missing directories with mode 0700 under any umask. The root may be a symlink of the
 * user's; the directories in it may not.
 */
export function prepareLayout(layout: Layout): void {
  requireSafeParent(layout.root);
  makeRoot(layout.root);
  for (const path of [layout.sessions, layout.run, `${layout.root}/log`]) ensurePrivateDirectory(path);
}

/**
 * Creates `sessions/` if it was removed. A state directory that was removed as a whole is not
 * created again.
 */
export function openOrCreateSessions({ sessions }: Layout): number {
  return openOwnDirectory(sessions) ?? createPrivateDirectory(sessions);
}

/** The daemon's socket: run/daemon.sock, easy to type for `nc -U`, unless that path is too long. */
export function daemonSocketPath(layout: Layout): string {
  const inRun = `${layout.run}/daemon.sock`;
  return fitsSocketAddress(inRun) ? inRun : `${sharedSocketDirectory()}/${socketName(layout, "/daemon")}`;
}

/** Locked by the daemon as long as it runs. */
export function daemonLockPath(layout: Layout): string {
  return `${layout.run}/daemon.lock`;
}

/** The path of a holder's socket. Creates its directory, which only this user can write to. */
export function socketPath(layout: Layout, sessionId: string): string {
  const inRun = `${layout.run}/${socketName(layout, sessionId)}`;
  if (fitsSocketAddress(inRun)) return inRun;
  ensurePrivateDirectory(sharedSocketDirectory());
  return `${sharedSocketDirectory()}/${socketName(layout, sessionId)}`;
}

/** The name that stands for a channel's socket in socketPath(). */
export function channelSocketKey(sessionId: string, channel: string): string {
  return `${sessionId}/${channel}`;
}

/** The same path as socketPath(), without touching the disk. */
export function expectedSocketPath(layout: Layout, sessionId: string): string {
  const name = socketName(layout, sessionId);
  const inRun = `${layout.run}/${name}`;
  return fitsSocketAddress(inRun) ? inRun : `${sharedSocketDirectory()}/${name}`;
}

/**
 * An existing root keeps its mode: it may be /srv or the home directory, and holt's directories in
 * it are private. Missing parents get mode 0700, as the XDG specification asks.
 */
function makeRoot(root: string): void {
  withPrivateUmask(() => makeDirectories(root, 0o700));
}

/** The hash covers the root too: two state directories may use the same id. */
function socketName(layout: Layout, sessionId: string): string {
  const hash = Bun.SHA256.hash(`${layout.root}\0${sessionId}`, "hex");
  return `${hash.slice(0, 16)}.sock`;
}

export function fitsSocketAddress(path: string): boolean {
  return bytesOf(path).length < MAX_SOCKET_PATH;
}

/** Directory of sockets whose path in run/ would be too long. */
export function sharedSocketDirectory(): string {
  return `/tmp/holt-${process.getuid?.() ?? "user"}`;
}
