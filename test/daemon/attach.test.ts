/** A program attaches with what the daemon answers: one connection to the holder, on which frames go to and fro. */
import { expect, test } from "bun:test";
import { ATTACH_FRAME, decodeOutput, encodeInput } from "../../src/protocol/wire/attach.ts";
import { decodeJson, FRAME, type Frame } from "../../src/protocol/wire/frames.ts";
import { HolderConnection } from "../../src/client/holder/holder-connection.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { withDaemon } from "./household.ts";

const NEVER = new AbortController().signal;

async function nextOf(connection: HolderConnection, type: number): Promise<Frame> {
  for (let frame = await connection.next(); frame !== null; frame = await connection.next())
    if (frame.type === type) return frame;
  throw new Error("the holder hung up");
}

test("session.attach answers where to dial and what to say; the screen comes, keys go, and a daemon that dies is not noticed", async () => {
  await withDaemon(async (client, bench) => {
    const argv = ["sh", "-c", 'stty -echo; echo hello; while read x; do echo "got $x"; done'];
    const { session_id } = await client.call("session.start", { argv, pty: { cols: 80, rows: 24 } });
    await client.call("session.wait", { session_id, cursor: "0", until: [{ match: "hello" }] });
    const size = { cols: 70, rows: 20 };
    const { socket, opening } = await client.call("session.attach", { session_id, size, label: "a program" });
    using connection = await HolderConnection.dial(socket, NEVER);
    if (connection === null) throw new Error("nobody listens");
    connection.send(Uint8Array.fromBase64(opening));
    const replay = decodeJson((await nextOf(connection, ATTACH_FRAME.replay)).payload);
    expect(replay).toMatchObject({ client_id: "c1", modes: {} });
    const listed = (await client.call("session.clients", { session_id })).clients;
    expect(listed).toMatchObject([{ client_id: "c1", role: "driver", label: "a program", size }]);
    bench.killDaemon();
    await until("the daemon is gone", () => bench.daemonPid === null);
    connection.send(encodeInput(new TextEncoder().encode("a key\r")));
    let seen = "";
    while (!seen.includes("got a key"))
      seen += new TextDecoder().decode(decodeOutput((await nextOf(connection, ATTACH_FRAME.output)).payload)?.bytes);
    connection.send(encodeInput(Uint8Array.of(4)));
    expect(decodeJson((await nextOf(connection, FRAME.end)).payload)).toMatchObject({ state: "exited" });
  });
});

test("A session on pipes, and one that has ended, cannot be attached to.", async () => {
  await withDaemon(async (client) => {
    const piped = await client.call("session.start", { argv: ["sleep", "60"], pty: false });
    const asked = client.call("session.attach", { session_id: piped.session_id });
    expect(await failure(asked)).toMatchObject({ code: "EBADARGS" });
    await client.call("session.kill", { session_id: piped.session_id });
    const late = client.call("session.attach", { session_id: piped.session_id });
    expect(await failure(late)).toMatchObject({ code: "ESESSIONCLOSED" });
  });
});
