/** `holt mcp` on a terminal. */
import { expect, test } from "bun:test";
import { CommandLine } from "./command-line.ts";

test("On a terminal, holt mcp says that it waits for a client, and Ctrl-C ends it with 130.", async () => {
  using line = new CommandLine();
  await using user = line.onTerminal(["mcp"], { env: { NO_COLOR: "1" } });
  await user.sees("Ctrl-C ends it");
  expect(user.text).toContain("waiting for an MCP client on stdin and stdout");
  expect(user.text).toContain("`claude mcp add holt -- holt mcp`");
  user.type("\x03");
  expect(await user.exit()).toEqual({ exitCode: 130, signal: null });
});
