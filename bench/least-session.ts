/**
 * The least that a session through a daemon and a ready holder takes in this runtime: a request goes through one process to another that waits for it, which makes a
 * directory, records what it starts, keeps what that prints, records its end, and answers. Nothing is checked, locked, claimed, told before its end, or safe from anything.
 * Compiled like holt, it says how much of a start to its exit is ours to shorten.
 *
 * least-session SOCKET DIRECTORY, and for its own holders: least-session
 */
import { serve } from "./ready-holder.ts";
import { appendFileSync, mkdirSync, readSync, writeFileSync, writeSync } from "node:fs";

const [socket, directory] = process.argv.slice(2);
if (socket === undefined || directory === undefined) hold();
else
  serve(socket, directory, async ({ text, directory: own, hold: held, answer }) => {
    for await (const told of held({ ...(JSON.parse(text) as Pick<Asked, "argv" | "terminal">), directory: own }))
      answer(told);
  });

interface Asked {
  directory: string;
  argv: string[];
  terminal: boolean;
}

function hold(): void {
  const buffer = Buffer.alloc(65_536);
  const length = readSync(0, buffer);
  if (length === 0) return;
  const asked = JSON.parse(buffer.toString("utf8", 0, length)) as Asked;
  const file = (name: string): string => `${asked.directory}/${name}`;
  const keep = (bytes: Uint8Array): void => appendFileSync(file("output.bin"), bytes);
  mkdirSync(asked.directory);
  const proc = asked.terminal
    ? Bun.spawn(asked.argv, { terminal: { cols: 80, rows: 24, data: (_, bytes) => keep(bytes) } })
    : Bun.spawn(asked.argv, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  writeFileSync(file("meta.json"), JSON.stringify({ ...asked, pid: proc.pid }));
  void proc.exited.then((code) => {
    writeFileSync(file("final.json"), JSON.stringify({ code }));
    writeSync(1, `${JSON.stringify({ code })}\n`);
    process.exit();
  });
}
