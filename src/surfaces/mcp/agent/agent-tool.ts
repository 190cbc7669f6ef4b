/**
 * Declares a tool of the `agent` toolset: its description, fewer parameters than its row, other
 * defaults, a short result, and the next step.
 */
import type * as z from "zod";
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import type { Method, Params, Result } from "../../../protocol/methods/table.schema.ts";
import type { Daemon } from "../daemon-link.ts";

/**
 * The tool's own text, and the command's output apart from it, so that output cannot pass for the
 * tool's text.
 */
export interface ToolReport {
  text: string;
  /** The next step, if possible as a complete call. */
  next: string;
  output?: string;
  /** The output is a file's contents, returned as it is. */
  isFile?: boolean;
  /** Replaces the row's result where that is more than a model needs. */
  structured?: Record<string, unknown>;
}

/** The context of one call of a tool. */
export interface ToolRun {
  daemon: Daemon;
  sessions: LocalSessions;
  signal: AbortSignal;
  /** The host receives progress notifications, so the call may take longer than a minute. */
  takesProgress: boolean;
}

export interface AgentTool<M extends Method> {
  method: M;
  title: string;
  description: string;
  /** The row's parameters that the tool shows. */
  params: readonly (keyof Params<M> & string)[];
  /** Defaults for models, where the row's are for programs. */
  defaults?: Partial<Params<M>>;
  /** The tool's own parameters, and their conversion to the row's: models cannot write base64. */
  extra?: { shape: z.ZodRawShape; params(given: Record<string, unknown>): Record<string, unknown> };
  /** Acts on a session, which must be the caller's own or taken over. */
  acts?: boolean;
  /** Runs the call when it takes more than one call to the daemon. */
  carryOut?(params: Params<M>, run: ToolRun): Promise<Result<M>>;
  /** The shape of the result; default: the row's. */
  answer?: z.ZodRawShape;
  report(result: Result<M>, given: Params<M> & Record<string, unknown>, run: ToolRun): ToolReport | Promise<ToolReport>;
}

/** A tool of any method. */
export interface AnyAgentTool extends Omit<AgentTool<Method>, "params" | "report" | "defaults" | "carryOut"> {
  params: readonly string[];
  defaults?: object;
  carryOut?(params: unknown, run: ToolRun): Promise<unknown>;
  report(result: unknown, given: unknown, run: ToolRun): ToolReport | Promise<ToolReport>;
}

export function agentTool<M extends Method>(declared: AgentTool<M>): AnyAgentTool {
  return declared;
}
