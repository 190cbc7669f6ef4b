/** Every command, in the order in which a newcomer meets them. */
import type { Declaration } from "./declaration.ts";
import { COMPLETIONS } from "./declarations/completions.ts";
import { GC } from "./declarations/gc.ts";
import { HELP } from "./declarations/help.ts";
import { LOGS } from "./declarations/logs.ts";
import { LS } from "./declarations/ls.ts";
import { MCP } from "./declarations/mcp.ts";
import { RM } from "./declarations/rm.ts";
import { RUN } from "./declarations/run.ts";
import { SHOW } from "./declarations/show.ts";
import { VERSION_COMMAND } from "./declarations/version.ts";

export const COMMANDS: readonly Declaration[] = [RUN, LS, SHOW, LOGS, RM, GC, MCP, COMPLETIONS, VERSION_COMMAND, HELP];
