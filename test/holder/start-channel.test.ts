/** A holder whose daemon is stopped used to wait in write(2) once the socket between them was full, and its session with it. */
import { expect, test } from "bun:test";
import { sendMessage } from "../../src/holder/start/start-channel.ts";
import { closeQuietly } from "../../src/platform/fs/descriptors.ts";
import { readSync } from "../../src/platform/fs/libc-fs.ts";
import { socketPair } from "../../src/platform/sockets/unix-socket.ts";

test("what a daemon does not read is left untold, whole or for good", () => {
  const [ours, theirs] = socketPair();
  try {
    expect(sendMessage(ours, { ended: "first" })).toBe(true);
    expect(sendMessage(ours, { ended: "x".repeat(4_000_000) }, 20)).toBe(false); // half of it is under way
    expect(sendMessage(ours, { ended: "last" })).toBe(true); // nothing of it
    const block = new Uint8Array(64);
    readSync(theirs, block);
    expect(new TextDecoder().decode(block)).toStartWith('{"ended":"first"}\n{"ended":"xxx');
  } finally {
    [ours, theirs].forEach(closeQuietly);
  }
});
