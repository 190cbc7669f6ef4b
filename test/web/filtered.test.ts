/** What a program prints to act on the viewer's machine reaches no client, wherever the output is cut; what it prints to be seen does. */
import { expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { sharedWeb } from "./served.ts";

const web = sharedWeb();

const HOSTILE = [
  { name: "writes the clipboard", bytes: "\x1b]52;c;c3RvbGVu\x07" },
  { name: "writes the clipboard, ended by ST", bytes: "\x1b]52;c;c3RvbGVu\x1b\\" },
  { name: "asks for the clipboard", bytes: "\x1b]52;c;?\x07" },
  { name: "asks for the title", bytes: "\x1b[21t" },
  { name: "asks for the icon's name", bytes: "\x1b[20t" },
  { name: "asks for a setting", bytes: "\x1bP$qm\x1b\\" },
  { name: "asks for a capability", bytes: "\x1bP+q544e\x1b\\" },
  { name: "asks what terminal it is", bytes: "\x1b[c" },
  { name: "asks where the cursor is", bytes: "\x1b[6n" },
  { name: "prints", bytes: "\x1b[5i\x1b[4i" },
  { name: "sends a file", bytes: "\x1b]1337;File=name=eA==:eA==\x07" },
  { name: "writes user keys", bytes: "\x1bP0;1|17/73746f6c656e\x1b\\" },
];

/** Its output in two writes, cut after each byte of it in turn. It waits for a key before each, so that both are sent apart; what questions are answered with is no key. */
const SCRIPT = `import os, sys, tty
tty.setraw(0)
def key():
    while os.read(0, 1) != b"\\x01": pass
os.write(1, b"ready")
for hostile in map(bytes.fromhex, sys.argv[1:]):
    for cut in range(len(hostile) + 1):
        key()
        os.write(1, b"<" + hostile[:cut])
        key()
        os.write(1, hostile[cut:] + b">")
key()`;

test("it is left out, cut anywhere", async () => {
  const served = web();
  const argv = HOSTILE.map(({ bytes }) => Buffer.from(bytes).toString("hex"));
  const id = await served.start(["python3", "-c", SCRIPT, ...argv]);
  const clients = await Promise.all(
    [false, true].map((isBinary) => served.attach(id, { isBinary, query: { cursor: "5" } })),
  );
  for (const client of clients) await client.hears("history");
  let kept = 5;
  for (const { name, bytes } of HOSTILE) {
    const before = clients.map(({ bytes: count }) => count);
    for (let cut = 0; cut <= bytes.length; cut++) {
      for (const more of [1 + cut, bytes.length - cut + 1]) {
        kept += more;
        clients[0]?.type("\x01");
        await until("it is printed", () => served.bench.output(id).length === kept);
      }
    }
    const shown = "<>".repeat(bytes.length + 1);
    for (const [at, client] of clients.entries()) {
      const from = before[at] ?? 0;
      await until("all is there", () => client.bytes >= from + shown.length);
      expect({ name, shown: client.output.subarray(from).toString() }).toEqual({ name, shown });
    }
  }
  // A screen that is rebuilt has none of it either.
  const late = await served.attach(id);
  await late.hears("history");
  for (const { bytes } of HOSTILE) expect(late.text).not.toContain(bytes);
  expect(late.text).not.toContain("c3RvbGVu");
});
