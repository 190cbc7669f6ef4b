/**
 * `exit`, given to a shell by `holt exec`, was now and then answered with "its holder hung up; the command may have run". The socket went when every reader had the end, and of who waited
 * for a command the shell was asked: whoever was just between two waits, as one is who hears of the beginning and the end in the same moment, was nobody.
 */
import { expect, test } from "bun:test";
import type { Socket } from "bun";
import { SessionConnection } from "../../src/holder/socket/session-connection.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { encodeJsonFrame, FRAME, FrameParser, PROTOCOL_VERSION } from "../../src/protocol/wire/frames.ts";

/** As far as a question is concerned. `room`: so many bytes the other side takes. */
function asked() {
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
  const conversation = new SessionConnection(
    socket as unknown as Socket,
    shared as unknown as ConstructorParameters<typeof SessionConnection>[1],
  );
  const params = { command: bytesOf("exit").toBase64(), timeout_ms: 1000 };
  conversation.receive(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION }));
  const ask = () => conversation.receive(encodeJsonFrame(FRAME.request, { id: 1, method: "exec", params }));
  return { conversation, outcome, sent, ask };
}

test("who has asked is owed an answer until it was sent, and who has not is owed nothing", async () => {
  const { conversation, outcome, sent, ask } = asked();
  expect(conversation.isPending).toBe(false);
  ask();
  expect(conversation.isPending).toBe(true);
  outcome.resolve({ outcome: "session_ended" });
  while (conversation.isPending) await Bun.sleep(0);
  expect(sent.types).toEqual([FRAME.hello, FRAME.result]);
});

test("of an answer that is taken in parts the rest is owed", async () => {
  const { conversation, outcome, sent, ask } = asked();
  ask();
  sent.room = 3;
  outcome.resolve({ outcome: "session_ended" });
  while (sent.room > 0) await Bun.sleep(0);
  await Bun.sleep(0); // the answers go on to the next question, of which there is none
  expect(conversation.isPending).toBe(true);
  sent.room = 1000;
  conversation.drain();
  expect({ isPending: conversation.isPending, sent: sent.types }).toEqual({
    isPending: false,
    sent: [FRAME.hello, FRAME.result],
  });
});

test("who has gone is owed nothing", () => {
  const { conversation, ask } = asked();
  ask();
  conversation.closed();
  expect(conversation.isPending).toBe(false);
});
