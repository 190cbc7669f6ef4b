/** The one executable: the first word chooses, and only what was chosen is loaded. */
import type { Main } from "./cli/declarations/command.ts";
import { requireRuntimeNeeds } from "./cli/commands/machine/runtime-needs.ts";

/** Each behind its own import, written out so that the build can split them. */
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
  // The leader of a session's terminal (process/leader/leader.ts): started by us, not by people.
  __leader: () => import("./process/leader/leader.ts"),
  // Becomes the command once it has its limits (process/limited.ts): the same.
  __limited: () => import("./process/limited.ts"),
  // A pattern that may take long (client/read/search-process.ts): the same.
  __search: () => import("./cli/commands/output/search-child.ts"),
  __grep: () => import("./cli/commands/output/grep-child.ts"),
  // Automatic retention: started by a start, and by the daemon.
  __sweep: () => import("./cli/commands/sessions/sweep.ts"),
  // A holder on its own (holder/start/detached.ts): the same.
  __holder: () => import("./holder/start/detached.ts"),
  __daemon: () => import("./daemon/lifecycle/main.ts"),
};

const PATIENT = ["run", "start", "__holder", "__daemon"];
/** Two of these share the processors, and most of their work is compiled already (WebAssembly): what they would compile besides takes longer than it brings. */
const BRIEF = ["__grep"];

const [word, ...rest] = process.argv.slice(2);
if (process.platform === "win32") {
  process.stderr.write(
    "holt: Windows is not supported yet\n      use it inside WSL; docs/platforms.md says what is missing\n",
  );
  process.exit(1);
}
// Before the runtime's first thread. A holder and the daemon check where they can answer the process that started them.
if (!word?.startsWith("__")) requireRuntimeNeeds(rest);
// What takes a second is worth compiling; a holder asks for it when it is busy (holder/session/idle-trim.ts), and so does the daemon (daemon-context.ts).
if (word === undefined || !PATIENT.includes(word)) Bun.unsafe.setJITPolicy(BRIEF.includes(word ?? "") ? 20 : 1);
const load = word === undefined || !Object.hasOwn(COMMANDS, word) ? undefined : COMMANDS[word];
process.exitCode = load === undefined ? await other() : await (await load()).main(rest);

async function other(): Promise<number> {
  return (await import("./cli/commands/machine/unknown-command.ts")).main(process.argv.slice(2));
}
