/** A client that was written by others: python3-websockets, as Debian has it. */
import { expect, test } from "bun:test";
import { collect } from "../support/holt.ts";
import { ECHO, withWeb } from "./served.ts";

test("another library attaches, types, resizes, is cut off, comes back at its cursor and detaches", async () => {
  await withWeb(async (served) => {
    const id = await served.start(ECHO);
    const script = new URL("second_client.py", import.meta.url).pathname;
    const argv = ["/usr/bin/python3", script, served.host, id, await served.token(id, "driver")];
    const env = { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" };
    const { text, stderr, exitCode } = await collect(argv, { stdin: "", env, cwd: served.bench.root });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const { first, seen } = JSON.parse(text) as { first: string; seen: string };
    expect(first).toBe("history");
    expect(seen).toBe("got grüße\r\ngot again\r\n");
  });
});
