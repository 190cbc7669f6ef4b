/**
 * The channel of a holder to its daemon. Regression: a stopped daemon with a full socket blocked
 * the holder in write(2), and its session too.
 */
import { expect, test } from "bun:test";
import { sendMessage } from "../../src/holder/start/start-channel.ts";
import { closeQuietly } from "../../src/platform/fs/descriptors.ts";
import { readSync } from "../../src/platform/fs/libc-fs.ts";
import { socketPair } from "../../src/platform/sockets/unix-socket.ts";

test("a message that the daemon does not read is dropped, and so is every later one", () => {
  const [ours, theirs] = socketPair();
  try {
    expect(sendMessage(ours, { ended: "first" })).toBe(true);
    // A part of it was written.
    expect(sendMessage(ours, { ended: "x".repeat(4_000_000) }, 20)).toBe(false);
    expect(sendMessage(ours, { ended: "last" })).toBe(true); // it is dropped as a whole
    const block = new Uint8Array(64);
    readSync(theirs, block);
    expect(new TextDecoder().decode(block)).toStartWith('{"ended":"first"}\n{"ended":"xxx');
  } finally {
    [ours, theirs].forEach(closeQuietly);
  }
});
