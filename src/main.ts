/**
 * Entry point of the executable: runs the command named by the first argument and loads only its
 * modules.
 */
import type { Main } from "./cli/declarations/command.ts";
import { requireRuntimeNeeds } from "./cli/commands/machine/runtime-needs.ts";

/** Imports are written out so that the build can split the bundle by command. */
const COMMANDS: Record<string, () => Promise<{ main: Main }>> = {
  approvals: () => import("./cli/commands/machine/approvals.ts"),
  approve: () => import("./cli/commands/machine/approve.ts"),
  attach: () => import("./cli/commands/sessions/attach.ts"),
  call: () => import("./cli/commands/machine/call.ts"),
  clients: () => import("./cli/commands/sessions/clients.ts"),
  commands: () => import("./cli/commands/output/shell-commands.ts"),
  daemon: () => import("./cli/commands/machine/daemon.ts"),
  config: () => import("./cli/commands/machine/config.ts"),
  completions: () => import("./cli/commands/machine/completions.ts"),
  deny: () => import("./cli/commands/machine/deny.ts"),
  detach: () => import("./cli/commands/sessions/detach.ts"),
  exec: () => import("./cli/commands/output/exec.ts"),
  doctor: () => import("./cli/commands/machine/doctor.ts"),
  export: () => import("./cli/commands/output/export.ts"),
  gc: () => import("./cli/commands/sessions/gc.ts"),
  help: () => import("./cli/commands/machine/help.ts"),
  logs: () => import("./cli/commands/output/logs.ts"),
  ls: () => import("./cli/commands/sessions/ls.ts"),
  mcp: () => import("./cli/commands/machine/mcp.ts"),
  rm: () => import("./cli/commands/sessions/rm.ts"),
  run: () => import("./cli/commands/sessions/run.ts"),
  start: () => import("./cli/commands/sessions/start.ts"),
  stop: () => import("./cli/commands/sessions/stop.ts"),
  kill: () => import("./cli/commands/sessions/kill.ts"),
  send: () => import("./cli/commands/output/send.ts"),
  resize: () => import("./cli/commands/sessions/resize.ts"),
  rename: () => import("./cli/commands/sessions/rename.ts"),
  signal: () => import("./cli/commands/sessions/signal.ts"),
  search: () => import("./cli/commands/output/search.ts"),
  screen: () => import("./cli/commands/output/screen.ts"),
  share: () => import("./cli/commands/machine/share.ts"),
  show: () => import("./cli/commands/sessions/show.ts"),
  wait: () => import("./cli/commands/output/wait.ts"),
  web: () => import("./cli/commands/machine/web.ts"),
  version: () => import("./cli/commands/machine/version.ts"),
  // Commands from here on are internal: holt starts them itself.
  // The leader process of a session's terminal.
  __leader: () => import("./process/leader/leader.ts"),
  // Sets resource limits on itself, then execs the command.
  __limited: () => import("./process/limited.ts"),
  // Runs slow pattern searches in child processes (client/read/search-process.ts,
  // client/read/text/grep-child.ts).
  __search: () => import("./cli/commands/output/search-child.ts"),
  __grep: () => import("./cli/commands/output/grep-child.ts"),
  // Automatic retention, started by `holt start` and by the daemon.
  __sweep: () => import("./cli/commands/sessions/sweep.ts"),
  // A detached holder.
  __holder: () => import("./holder/start/detached.ts"),
  __daemon: () => import("./daemon/lifecycle/main.ts"),
};

/**
 * These keep the runtime's default JIT policy: compiling pays off for them only under load
 * (holder/session/idle-trim.ts).
 */
const DEFAULT_JIT = ["run", "start", "__holder", "__daemon"];
/** Most of their work is WebAssembly, which is compiled already: they compile little JavaScript. */
const LITTLE_JIT = ["__grep"];

const [word, ...rest] = process.argv.slice(2);
if (process.platform === "win32") {
  process.stderr.write(
    "holt: Windows is not supported yet\n      use it inside WSL; docs/platforms.md says what is missing\n",
  );
  process.exit(1);
}
// Must run before the runtime starts a thread. Holders and the daemon run it later, where they can
// report the error.
if (!word?.startsWith("__")) requireRuntimeNeeds(rest);
if (word === undefined || !DEFAULT_JIT.includes(word))
  Bun.unsafe.setJITPolicy(LITTLE_JIT.includes(word ?? "") ? 20 : 1);
const load = word === undefined || !Object.hasOwn(COMMANDS, word) ? undefined : COMMANDS[word];
process.exitCode = load === undefined ? await unknownCommand() : await (await load()).main(rest);

async function unknownCommand(): Promise<number> {
  return (await import("./cli/commands/machine/unknown-command.ts")).main(process.argv.slice(2));
}
