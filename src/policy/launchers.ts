/** Commands whose very use is to run others: to allow one of them is to allow everything. Nobody can list them all; these are the usual ones. */
const LAUNCHERS = new Set(
  `sh bash dash zsh fish ksh csh tcsh ash busybox toybox env xargs find fd parallel nice ionice nohup setsid timeout time watch stdbuf script
chroot unshare nsenter sudo su doas runuser setpriv taskset chrt flock strace ltrace gdb ld.so tar zip git make cmake ninja npm npx yarn pnpm bun
node deno python python3 perl ruby php lua awk gawk mawk sed ed vi vim nvim emacs nano less more man ssh scp rsync socat nc docker podman systemd-run
tmux screen expect holt m4 tclsh sqlite3 psql mysql gcc cc cargo go rustc java`.split(/\s+/),
);

export function isLauncher(command: string): boolean {
  return LAUNCHERS.has(command.slice(command.lastIndexOf("/") + 1));
}
