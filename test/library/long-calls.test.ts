/**
 * A call over 8 MiB was never answered: the daemon skipped the line and refused it without an id,
 * the client dropped that refusal, and the caller waited forever.
 */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dial, withDaemon } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { quickCall } from "../../src/client/daemon/quick-call.ts";
import { HoltClient } from "../../src/library/index.ts";
import { MAX_MESSAGE_BYTES } from "../../src/protocol/wire/json-rpc.ts";
import { layoutAt } from "../../src/transcript/layout.ts";

const params = { session_id: "x", text: "x".repeat(9e6) };
const REFUSED = {
  code: "EBADARGS",
  message: expect.stringMatching(/^this call of session\.send is too long: 90000\d\d bytes, at most 8388608$/),
  hint: "write the long value to a file and name that, or send it in parts",
};

test("a call that is too long is refused before it is sent, by every client, and the connection stays open", () =>
  withDaemon(async (client, bench) => {
    await using library = new HoltClient({ stateDir: bench.state, executable: HOLT });
    expect(await thrown(library.call("session.send", params))).toMatchObject(REFUSED);
    expect(await library.call("health.info", {})).toHaveProperty("version");
    expect(await thrown(client.call("session.send", params))).toMatchObject(REFUSED);
    expect(await client.call("health.info", {})).toHaveProperty("version");
    expect(() => quickCall(layoutAt(bench.state), "session.send", params, 1000)).toThrow(
      /^this call of session\.send is /,
    );
  }));

test("the limit counts bytes, not characters, and the longest allowed call is answered", () =>
  withDaemon(async (_, bench) => {
    using client = await dial(bench);
    const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.send", params: { ...params, text: "" } });
    const room = MAX_MESSAGE_BYTES - frame.length - 1;
    const longest = { ...params, text: "€".repeat(Math.floor(room / 3)) };
    expect(await thrown(client.call("session.send", longest))).toMatchObject({ code: "ENOTFOUND" });
    const longer = { ...params, text: `${longest.text}€` };
    expect(await thrown(client.call("session.send", longer))).toMatchObject({ code: "EBADARGS" });
  }));

const NOBODYS = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"code":"EBADARGS"}}}\n';

test.each(["library", "daemon client"])(
  "a refusal that is nobody's fails what is under way on the connection (%s)",
  async (kind) => {
    using bench = new Bench();
    mkdirSync(join(bench.state, "run"), { recursive: true });
    const socket = join(bench.state, "run", "daemon.sock");
    let wanted = 1;
    let lines = 0;
    using _listener = Bun.listen({
      unix: socket,
      socket: {
        data(connection, bytes) {
          lines += bytes.toString().split("\n").length - 1;
          if (lines === wanted) connection.write(NOBODYS);
        },
      },
    });
    await using library = new HoltClient({ socket });
    using client = await DaemonClient.dial(layoutAt(bench.state));
    const call = (): Promise<unknown> => {
      const caller = kind === "library" ? library : (client as DaemonClient);
      return thrown(caller.call("session.get", { session_id: "x" }));
    };
    expect(await call()).toMatchObject({ code: "EBADARGS", message: "no" });
    [wanted, lines] = [2, 0];
    for (const error of await Promise.all([call(), call()]))
      expect(error).toMatchObject({ code: "EIO", message: "the daemon refused one of 2 calls under way: no" });
  },
);

function thrown(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}
