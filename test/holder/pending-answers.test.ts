/**
 * A session's socket stays open until every request is answered. Regression: `holt exec -- exit`
 * was sometimes answered with "its holder hung up; the command may have run". The shell was asked
 * which calls wait, and a call between two waits was missed: one that sees the beginning and the
 * end of its command at the same moment.
 */
import { expect, test } from "bun:test";
import type { Socket } from "bun";
import { SessionConnection } from "../../src/holder/socket/session-connection.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { encodeJsonFrame, FRAME, FrameParser, PROTOCOL_VERSION } from "../../src/protocol/wire/frames.ts";

/** A connection that can send one request. `room` is the number of bytes that the client takes. */
function connected() {
  const outcome = Promise.withResolvers<Record<string, unknown>>();
  const sent = { types: [] as number[], room: Number.POSITIVE_INFINITY };
  const parser = new FrameParser();
  const socket = {
    timeout() {},
    write(bytes: Uint8Array) {
      const taken = bytes.subarray(0, sent.room);
      sent.room -= taken.length;
      sent.types.push(...parser.push(taken).map(({ type }) => type));
      return taken.length;
    },
  };
  const session = {
    record: { meta: { session_id: "s" } },
    isStarting: false,
    hasEnded: false,
    reserved: { input: null, size: null },
    shell: { exec: () => outcome.promise },
  };
  const shared = { session, source: null, clients: null };
  const connection = new SessionConnection(
    socket as unknown as Socket,
    shared as unknown as ConstructorParameters<typeof SessionConnection>[1],
  );
  const params = { command: bytesOf("exit").toBase64(), timeout_ms: 1000 };
  connection.receive(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION }));
  const ask = () => connection.receive(encodeJsonFrame(FRAME.request, { id: 1, method: "exec", params }));
  return { connection, outcome, sent, ask };
}

test("a connection is pending from its request until the answer was sent", async () => {
  const { connection, outcome, sent, ask } = connected();
  expect(connection.isPending).toBe(false);
  ask();
  expect(connection.isPending).toBe(true);
  outcome.resolve({ outcome: "session_ended" });
  while (connection.isPending) await Bun.sleep(0);
  expect(sent.types).toEqual([FRAME.hello, FRAME.result]);
});

test("a connection is pending while a part of the answer is unsent", async () => {
  const { connection, outcome, sent, ask } = connected();
  ask();
  sent.room = 3;
  outcome.resolve({ outcome: "session_ended" });
  while (sent.room > 0) await Bun.sleep(0);
  await Bun.sleep(0); // the queue looks for the next request, and finds none
  expect(connection.isPending).toBe(true);
  sent.room = 1000;
  connection.drain();
  expect({ isPending: connection.isPending, sent: sent.types }).toEqual({
    isPending: false,
    sent: [FRAME.hello, FRAME.result],
  });
});

test("a closed connection is not pending", () => {
  const { connection, ask } = connected();
  ask();
  connection.closed();
  expect(connection.isPending).toBe(false);
});
