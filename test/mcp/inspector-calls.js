// Runs the MCP inspector's command line in one node for many calls: a start of it costs more than the call. Each line of stdin is a JSON array of its
// arguments; each line of stdout answers one, in order.
import { createInterface } from "node:readline";

const { runCli, handleError } = await import(
  new URL("../../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js", import.meta.url).href
);
const print = process.stdout.write.bind(process.stdout);
const captured = { text: "", stderr: "", exitCode: 0 };

/** @param {"text" | "stderr"} name */
function capture(name) {
  return (/** @type {unknown} */ chunk, /** @type {unknown[]} */ ...rest) => {
    captured[name] += String(chunk);
    const written = rest.at(-1);
    if (typeof written === "function") written();
    return true;
  };
}
process.stdout.write = capture("text");
process.stderr.write = capture("stderr");
process.exit = /** @type {typeof process.exit} */ (
  (/** @type {number} */ code) => {
    captured.exitCode = code;
  }
);

for await (const line of createInterface({ input: process.stdin })) {
  Object.assign(captured, { text: "", stderr: "", exitCode: 0 });
  try {
    await runCli(["node", "mcp-inspector", ...JSON.parse(line)]);
  } catch (error) {
    await handleError(error); // its own form of an error, and its exit code
  }
  print(`${JSON.stringify(captured)}\n`);
}
