/** The tools, in the order in which a model meets them. */
import type { AnyAgentTool } from "./agent-tool.ts";
import { DRIVING } from "./driving-tools.ts";
import { FILES } from "./file-tools.ts";
import { READING } from "./reading-tools.ts";
import { RUNNING } from "./running-tools.ts";

export const TOOLS: readonly AnyAgentTool[] = [...RUNNING, ...READING, ...DRIVING, ...FILES];
