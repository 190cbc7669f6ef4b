import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Chunk, LocalSessions } from "../../client/local-sessions.ts";
import { stateError } from "../../client/state-error.ts";
import { errnoOf, HoltError } from "../../protocol/errors.ts";
import type { DaemonLink } from "./daemon-link.ts";
import { withProgress } from "./progress.ts";
import { outputText } from "./readable.ts";

export interface Toolset {
  /** What a model reads first. */
  instructions: string;
  /** Whether a failure comes as an object beside its text; the `derun` seed has text alone. */
  failures: "text" | "structured";
  /** Whether sessions are resources too. */
  hasResources: boolean;
  register: (server: McpServer, context: ToolContext) => void;
}

export interface ToolContext {
  sessions: LocalSessions;
  daemon: DaemonLink;
  failures: Toolset["failures"];
  /** One record a call. */
  record: (fields: Record<string, unknown>) => void;
}

export interface Answer {
  text: string;
  structured: Record<string, unknown>;
  /** Output that the answer brings: as chunks, or as text already. */
  chunks?: readonly Chunk[];
  output?: string;
}

/** What every call passes through: its record for the log, and its failure as an answer that a model can act on. */
export function tool<A extends Record<string, unknown>>(
  method: string,
  { record, failures }: ToolContext,
  act: (args: A, signal: AbortSignal) => Answer | Promise<Answer>,
): (args: A, context: ServerContext) => Promise<CallToolResult> {
  return async (args, serverContext) => {
    const { mcpReq } = serverContext;
    const began = performance.now();
    const log = (result: Record<string, unknown>) => {
      const { session_id, cursor: chunk_offset }: Record<string, unknown> = args;
      record({ method, session_id, chunk_offset, duration_ms: Math.round(performance.now() - began), ...result });
    };
    try {
      const answer = await withProgress(serverContext, async () => act(args, mcpReq.signal));
      log({ rc: 0, chunk_size: answer.chunks?.reduce((sum, { bytes }) => sum + bytes.length, 0) });
      return resultOf(answer);
    } catch (error) {
      log({ rc: 1, error: error instanceof HoltError ? error.code : (errnoOf(error) ?? "EINTERNAL") });
      return failed(stateError(error, "get at the sessions"), failures);
    }
  };
}

/** Output has a block of its own, so that nothing a command printed can pass for what the tool says. */
function resultOf({ text, structured, chunks = [], output = outputText(chunks) }: Answer): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (output !== "") content.push({ type: "text", text: output });
  return { content, structuredContent: structured };
}

/** The text is for the model; the same as an object for programs. */
function failed(error: unknown, failures: Toolset["failures"]): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text: failureText(error) }];
  if (!(error instanceof HoltError) || failures === "text") return { isError: true, content };
  const { code, message, details, hint } = error;
  return { isError: true, content, structuredContent: { error: { code, message, details, hint } } };
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof HoltError && error.hint !== null ? `${error.message}\n${error.hint}` : error.message;
}
