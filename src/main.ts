/** The one executable: the first word chooses, and only what was chosen is loaded. */
import type { Main } from "./cli/command.ts";
import { requireRuntimeNeeds } from "./cli/runtime-needs.ts";

/** Each behind its own import, written out so that the build can split them. */
const COMMANDS: Record<string, () => Promise<{ main: Main }>> = {
  approvals: () => import("./cli/approvals.ts"),
  approve: () => import("./cli/approve.ts"),
  attach: () => import("./cli/attach.ts"),
  call: () => import("./cli/call.ts"),
  clients: () => import("./cli/clients.ts"),
  commands: () => import("./cli/shell-commands.ts"),
  daemon: () => import("./cli/daemon.ts"),
  config: () => import("./cli/config.ts"),
  completions: () => import("./cli/completions.ts"),
  deny: () => import("./cli/deny.ts"),
  detach: () => import("./cli/detach.ts"),
  exec: () => import("./cli/exec.ts"),
  doctor: () => import("./cli/doctor.ts"),
  export: () => import("./cli/export.ts"),
  gc: () => import("./cli/gc.ts"),
  help: () => import("./cli/help.ts"),
  logs: () => import("./cli/logs.ts"),
  ls: () => import("./cli/ls.ts"),
  mcp: () => import("./cli/mcp.ts"),
  rm: () => import("./cli/rm.ts"),
  run: () => import("./cli/run.ts"),
  start: () => import("./cli/start.ts"),
  stop: () => import("./cli/stop.ts"),
  kill: () => import("./cli/kill.ts"),
  send: () => import("./cli/send.ts"),
  resize: () => import("./cli/resize.ts"),
  rename: () => import("./cli/rename.ts"),
  signal: () => import("./cli/signal.ts"),
  search: () => import("./cli/search.ts"),
  screen: () => import("./cli/screen.ts"),
  share: () => import("./cli/share.ts"),
  show: () => import("./cli/show.ts"),
  wait: () => import("./cli/wait.ts"),
  web: () => import("./cli/web.ts"),
  version: () => import("./cli/version.ts"),
  // The leader of a session's terminal (process/leader.ts): started by us, not by people.
  __leader: () => import("./process/leader.ts"),
  // Becomes the command once it has its limits (process/limited.ts): the same.
  __limited: () => import("./process/limited.ts"),
  // A pattern that may take long (client/search-process.ts): the same.
  __search: () => import("./cli/search-child.ts"),
  __grep: () => import("./cli/grep-child.ts"),
  // Automatic retention: started by a start, and by the daemon.
  __sweep: () => import("./cli/sweep.ts"),
  // A holder on its own (holder/detached.ts): the same.
  __holder: () => import("./holder/detached.ts"),
  __daemon: () => import("./daemon/main.ts"),
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
// What takes a second is worth compiling; a holder asks for it when it is busy (holder/thrift.ts), and so does the daemon (household.ts).
if (word === undefined || !PATIENT.includes(word)) Bun.unsafe.setJITPolicy(BRIEF.includes(word ?? "") ? 20 : 1);
const load = word === undefined || !Object.hasOwn(COMMANDS, word) ? undefined : COMMANDS[word];
process.exitCode = load === undefined ? await other() : await (await load()).main(rest);

async function other(): Promise<number> {
  return (await import("./cli/other.ts")).main(process.argv.slice(2));
}
