/**
 * A toolset of methods as tools, one to one, for clients that know the reference. Models use
 * `agent`.
 */
import type { McpServer } from "@modelcontextprotocol/server";
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Method } from "../../../protocol/methods/table.schema.ts";
import { annotationsOf, type AnyRow, inputSchema, outputSchema } from "./row-tool.ts";
import { safeJson } from "../../../terminal/text/safe-json.ts";
import { hostParams } from "../host-params.ts";
import { TAKEOVER } from "../ownership.ts";
import { inToolNames } from "./tool-names.ts";
import { readableFailure, type ToolContext, type Toolset, tool } from "./toolset.ts";

export interface RowsToolset {
  instructions: string;
  hasResources: boolean;
  /** Tool names and their rows. */
  tools: Iterable<readonly [string, AnyRow]>;
}

/**
 * Notifications belong to a connection, and the server shares one among all calls: resources are
 * used instead.
 */
const WITHHELD_PARAM = "notify_on";

export function rowsToolset({ instructions, hasResources, tools }: RowsToolset): Toolset {
  let registered: RowTool[] | null = null;
  const register = (server: McpServer, context: ToolContext): void => {
    registered ??= [...tools].map(([name, row]) => ({ name, row, description: describe(row) }));
    for (const each of registered) registerRow(server, context, each);
  };
  const named = new Map([...tools].map(([name, row]) => [row.name as string, name]));
  return {
    instructions,
    failureText: readableFailure,
    hasResources,
    words: inToolNames((method) => named.get(method)),
    register,
  };
}

interface RowTool {
  name: string;
  row: AnyRow;
  description: ReturnType<typeof describe>;
}

/** Over HTTP each request has its own server, so schemas are made once for all. */
function describe(row: AnyRow) {
  return {
    title: row.name,
    description: `${row.summary.charAt(0).toUpperCase()}${row.summary.slice(1)}.`,
    inputSchema: inputSchema(row, { added: takesTakeover(row) ? TAKEOVER : {}, withheld: WITHHELD_PARAM }),
    outputSchema: outputSchema(row),
    annotations: annotationsOf(row),
  };
}

function actsOnAll(row: AnyRow): boolean {
  return "stop_sessions" in row.params.shape;
}

/** Methods that return keys to sessions, with which a program may type. */
export const KEY_METHODS: ReadonlySet<string> = new Set<Method>(["web.ticket", "token.rotate"]);

function takesTakeover(row: AnyRow): boolean {
  const acts = row.sessionParam !== undefined || actsOnAll(row) || KEY_METHODS.has(row.name);
  return acts && !("takeover" in row.params.shape);
}

/** Throws when the call acts on a session of another client without `takeover`. */
function checkOwnership(row: AnyRow, args: Record<string, unknown>, { ownership, sessions }: ToolContext): void {
  const { takeover, session_id, role } = args;
  if (row.sessionParam !== undefined) ownership.check(args[row.sessionParam], takeover, sessions);
  if (actsOnAll(row) && args["stop_sessions"] === true) ownership.checkAll(takeover);
  if (!KEY_METHODS.has(row.name)) return;
  if (typeof session_id !== "string") ownership.checkAll(takeover);
  else if (role !== undefined && role !== "viewer") ownership.check(session_id, takeover, sessions);
}

function registerRow(server: McpServer, context: ToolContext, { name, row, description }: RowTool): void {
  server.registerTool(
    name,
    description,
    tool(name, context, async (args, { signal, daemon }) => {
      if (WITHHELD_PARAM in args)
        throw new HoltError("EBADARGS", `${row.name}: params: tools have no "${WITHHELD_PARAM}"`, {
          hint: "subscribe to the resource holt://sessions/{id}/output instead, or use session_wait",
        });
      checkOwnership(row, args, context);
      const { takeover: _, ...given } = args;
      // The daemon validates the parameters.
      const params = hostParams(row, takesTakeover(row) ? given : args, { cwd: context.cwd, takesProgress: false });
      const structured = await daemon.call(row.name, params, signal);
      context.ownership.started(row, structured);
      return { text: safeJson(structured), structured, isUntrusted: row.isUntrusted === true };
    }),
  );
}
