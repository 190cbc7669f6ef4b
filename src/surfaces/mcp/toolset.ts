import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Chunk, LocalSessions } from "../../client/local-sessions.ts";
import { stateError } from "../../client/state-error.ts";
import { errnoOf, HoltError } from "../../protocol/errors.ts";
import { outputText } from "./readable.ts";

export interface Toolset {
  /** What a model reads first. */
  instructions: string;
  register: (server: McpServer, context: ToolContext) => void;
}

export interface ToolContext {
  sessions: LocalSessions;
  /** One record a call. */
  record: (fields: Record<string, unknown>) => void;
}

export interface Answer {
  text: string;
  structured: Record<string, unknown>;
  /** Output that the answer brings. */
  chunks?: readonly Chunk[];
}

/** What every call passes through: its record for the log, and its failure as an answer that a model can act on. */
export function tool<A extends Record<string, unknown>>(
  method: string,
  { record }: ToolContext,
  act: (args: A, signal: AbortSignal) => Answer | Promise<Answer>,
): (args: A, context: ServerContext) => Promise<CallToolResult> {
  return async (args, { mcpReq }) => {
    const began = performance.now();
    const log = (result: Record<string, unknown>) => {
      const { session_id, cursor: chunk_offset }: Record<string, unknown> = args;
      record({ method, session_id, chunk_offset, duration_ms: Math.round(performance.now() - began), ...result });
    };
    try {
      const answer = await act(args, mcpReq.signal);
      log({ rc: 0, chunk_size: answer.chunks?.reduce((sum, { bytes }) => sum + bytes.length, 0) });
      return resultOf(answer);
    } catch (error) {
      log({ rc: 1, error: error instanceof HoltError ? error.code : (errnoOf(error) ?? "EINTERNAL") });
      return {
        isError: true,
        content: [{ type: "text", text: failureText(stateError(error, "get at the sessions")) }],
      };
    }
  };
}

/** Output has a block of its own, so that nothing a command printed can pass for what the tool says. */
function resultOf({ text, structured, chunks = [] }: Answer): CallToolResult {
  const output = outputText(chunks);
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (output !== "") content.push({ type: "text", text: output });
  return { content, structuredContent: structured };
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof HoltError && error.hint !== null ? `${error.message}\n${error.hint}` : error.message;
}
