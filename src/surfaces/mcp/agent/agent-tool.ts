/** What a tool of the `agent` toolset adds to its row: words for a model, fewer parameters, other defaults, an answer that a model can afford, and the next step. */
import type * as z from "zod";
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import type { Method, Params, Result } from "../../../protocol/methods/table.schema.ts";
import type { Daemon } from "../daemon-link.ts";

/** What the tool says, and apart from it what a command printed: nothing printed can pass for what the tool says. */
export interface ToolReport {
  text: string;
  /** What to do next, in a call that can be made as it stands where there is one. */
  next: string;
  output?: string;
  /** The output is a file's contents, given as they are. */
  isFile?: boolean;
  /** Where the row's own result is more than a model needs. */
  structured?: Record<string, unknown>;
}

/** With what a tool does its work. */
export interface ToolRun {
  daemon: Daemon;
  sessions: LocalSessions;
  signal: AbortSignal;
  /** The host hears of progress: it need not be answered within a minute. */
  takesProgress: boolean;
}

export interface AgentTool<M extends Method> {
  method: M;
  title: string;
  description: string;
  /** Of the row's parameters, those that a model has use for. */
  params: readonly (keyof Params<M> & string)[];
  /** Where the row's own defaults are for programs. */
  defaults?: Partial<Params<M>>;
  /** Parameters of the tool's own, and what the row's are made of them: base64 is nothing for a model. */
  extra?: { shape: z.ZodRawShape; params(given: Record<string, unknown>): Record<string, unknown> };
  /** Acts on a session, which must be the caller's own or taken over. */
  acts?: boolean;
  /** How it is done, where that is more than one call. */
  carryOut?(params: Params<M>, means: ToolRun): Promise<Result<M>>;
  /** Of its answer; without it the row's. */
  answer?: z.ZodRawShape;
  report(
    result: Result<M>,
    given: Params<M> & Record<string, unknown>,
    means: ToolRun,
  ): ToolReport | Promise<ToolReport>;
}

/** One tool, whichever its method. */
export interface AnyAgentTool extends Omit<AgentTool<Method>, "params" | "report" | "defaults" | "carryOut"> {
  params: readonly string[];
  defaults?: object;
  carryOut?(params: unknown, means: ToolRun): Promise<unknown>;
  report(result: unknown, given: unknown, means: ToolRun): ToolReport | Promise<ToolReport>;
}

export function agentTool<M extends Method>(declared: AgentTool<M>): AnyAgentTool {
  return declared;
}
