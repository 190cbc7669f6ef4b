/** Methods as tools, one to one: for those who know the reference. A model that only wants to work takes `agent`. */
import type { McpServer } from "@modelcontextprotocol/server";
import { annotationsOf, type AnyRow, inputSchema, outputSchema } from "./row-tool.ts";
import { Ownership, TAKEOVER } from "./ownership.ts";
import { type ToolContext, type Toolset, tool } from "./toolset.ts";

export interface RowsToolset {
  instructions: string;
  hasResources: boolean;
  /** The tool's name, and its row. */
  tools: Iterable<readonly [string, AnyRow]>;
}

export function rowsToolset({ instructions, hasResources, tools }: RowsToolset): Toolset {
  const register = (server: McpServer, context: ToolContext): void => {
    const ownership = new Ownership();
    for (const [name, row] of tools) registerRow(server, { ...context, ownership }, name, row);
  };
  return { instructions, failures: "structured", hasResources, register };
}

type RowContext = ToolContext & { ownership: Ownership };

function registerRow(server: McpServer, context: RowContext, name: string, row: AnyRow): void {
  const { ownership } = context;
  const actsOnAll = "stop_sessions" in row.params.shape;
  const isOurs = (row.actsOn !== undefined || actsOnAll) && !("takeover" in row.params.shape);
  server.registerTool(
    name,
    {
      title: row.name,
      description: `${row.summary.charAt(0).toUpperCase()}${row.summary.slice(1)}.`,
      inputSchema: inputSchema(row, isOurs ? TAKEOVER : {}),
      outputSchema: outputSchema(row),
      annotations: annotationsOf(row),
    },
    tool(name, context, async (args, signal) => {
      const { takeover, ...given } = args;
      if (row.actsOn !== undefined) ownership.check(given[row.actsOn], takeover);
      if (actsOnAll && given["stop_sessions"] === true) ownership.checkAll(takeover);
      // The daemon says whether these are parameters of that method.
      const structured = await context.daemon.call(row.name, isOurs ? given : args, signal);
      ownership.started(row, structured);
      return { text: JSON.stringify(structured), structured };
    }),
  );
}
