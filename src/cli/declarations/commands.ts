/** All commands, in the order in which `holt help` lists them. */
import type { Declaration } from "./declaration.ts";
import { APPROVALS } from "./machine/approvals.ts";
import { APPROVE } from "./machine/approve.ts";
import { ATTACH } from "./sessions/attach.ts";
import { CALL } from "./machine/call.ts";
import { CLIENTS } from "./sessions/clients.ts";
import { SHELL_COMMANDS } from "./output/commands.ts";
import { COMPLETIONS } from "./machine/completions.ts";
import { CONFIG } from "./machine/config.ts";
import { DAEMON } from "./machine/daemon.ts";
import { DENY } from "./machine/deny.ts";
import { DETACH } from "./sessions/detach.ts";
import { EXEC } from "./output/exec.ts";
import { DOCTOR } from "./machine/doctor.ts";
import { EXPORT } from "./output/export.ts";
import { GC } from "./sessions/gc.ts";
import { HELP } from "./machine/help.ts";
import { KILL } from "./sessions/kill.ts";
import { LOGS } from "./output/logs.ts";
import { LS } from "./sessions/ls.ts";
import { MCP } from "./machine/mcp.ts";
import { RENAME } from "./sessions/rename.ts";
import { RESIZE } from "./sessions/resize.ts";
import { RM } from "./sessions/rm.ts";
import { RUN } from "./sessions/run.ts";
import { SCREEN } from "./output/screen.ts";
import { SEARCH } from "./output/search.ts";
import { SEND } from "./output/send.ts";
import { SHARE } from "./machine/share.ts";
import { SHOW } from "./sessions/show.ts";
import { SIGNAL } from "./sessions/signal.ts";
import { START } from "./sessions/start.ts";
import { STOP } from "./sessions/stop.ts";
import { VERSION_COMMAND } from "./machine/version.ts";
import { WAIT } from "./output/wait.ts";
import { WEB } from "./machine/web.ts";

export const COMMANDS: readonly Declaration[] = [
  RUN,
  START,
  ATTACH,
  LS,
  SHOW,
  LOGS,
  SEARCH,
  SCREEN,
  EXPORT,
  SEND,
  WAIT,
  EXEC,
  SHELL_COMMANDS,
  SIGNAL,
  RESIZE,
  RENAME,
  CLIENTS,
  DETACH,
  WEB,
  SHARE,
  STOP,
  KILL,
  RM,
  GC,
  DAEMON,
  CALL,
  CONFIG,
  DOCTOR,
  APPROVALS,
  APPROVE,
  DENY,
  MCP,
  COMPLETIONS,
  VERSION_COMMAND,
  HELP,
];
