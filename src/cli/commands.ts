/** Every command, in the order in which a newcomer meets them. */
import type { Declaration } from "./declaration.ts";
import { APPROVALS } from "./declarations/approvals.ts";
import { APPROVE } from "./declarations/approve.ts";
import { ATTACH } from "./declarations/attach.ts";
import { CALL } from "./declarations/call.ts";
import { CLIENTS } from "./declarations/clients.ts";
import { SHELL_COMMANDS } from "./declarations/commands.ts";
import { COMPLETIONS } from "./declarations/completions.ts";
import { CONFIG } from "./declarations/config.ts";
import { DAEMON } from "./declarations/daemon.ts";
import { DENY } from "./declarations/deny.ts";
import { DETACH } from "./declarations/detach.ts";
import { EXEC } from "./declarations/exec.ts";
import { DOCTOR } from "./declarations/doctor.ts";
import { EXPORT } from "./declarations/export.ts";
import { GC } from "./declarations/gc.ts";
import { HELP } from "./declarations/help.ts";
import { KILL } from "./declarations/kill.ts";
import { LOGS } from "./declarations/logs.ts";
import { LS } from "./declarations/ls.ts";
import { MCP } from "./declarations/mcp.ts";
import { RENAME } from "./declarations/rename.ts";
import { RESIZE } from "./declarations/resize.ts";
import { RM } from "./declarations/rm.ts";
import { RUN } from "./declarations/run.ts";
import { SCREEN } from "./declarations/screen.ts";
import { SEARCH } from "./declarations/search.ts";
import { SEND } from "./declarations/send.ts";
import { SHARE } from "./declarations/share.ts";
import { SHOW } from "./declarations/show.ts";
import { SIGNAL } from "./declarations/signal.ts";
import { START } from "./declarations/start.ts";
import { STOP } from "./declarations/stop.ts";
import { VERSION_COMMAND } from "./declarations/version.ts";
import { WAIT } from "./declarations/wait.ts";
import { WEB } from "./declarations/web.ts";

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
