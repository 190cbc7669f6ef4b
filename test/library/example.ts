/**
 * The example of docs/agents.md as a program: run by Node and Bun, and checked against the
 * library's types.
 */
import { connect, HoltError } from "holt/client";

const client = await connect();
const { session_id } = await client.call("session.start", {
  argv: ["sh", "-c", "echo one; echo two; exit 3"],
  pty: false,
});
const output = client.follow(session_id);
let text = "";
let step = await output.next();
for (; step.done !== true; step = await output.next()) text += Buffer.from(step.value.bytes).toString();
const refused = await client.call("session.get", { session_id: "nosuch" }).catch((error: unknown) => error);
console.log(
  JSON.stringify({
    text,
    exit_code: step.value?.exit_code,
    refused: refused instanceof HoltError ? refused.code : String(refused),
  }),
);
client.close();
