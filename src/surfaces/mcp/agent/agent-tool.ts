/** What a tool of the `agent` toolset adds to its row: words for a model, fewer parameters, other defaults, and its result as a readable text. */
import type * as z from "zod";
import type { Method, Params, Result } from "../../../protocol/table.schema.ts";

/** What the tool says, and apart from it what a command printed: nothing printed can pass for what the tool says. */
export interface Readable {
  text: string;
  output?: string;
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
  readable(result: Result<M>, given: Params<M>): Readable;
}

/** One tool, whichever its method. */
export interface AnyAgentTool extends Omit<AgentTool<Method>, "params" | "readable" | "defaults"> {
  params: readonly string[];
  defaults?: object;
  readable(result: unknown, given: unknown): Readable;
}

export function agentTool<M extends Method>(declared: AgentTool<M>): AnyAgentTool {
  return declared;
}
