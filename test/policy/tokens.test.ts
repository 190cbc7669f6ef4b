/**
 * A session's token belongs to a program, to which the policy applies; the page belongs to the
 * user.
 */
import { describe, expect, test } from "bun:test";
import { configure } from "../config/configure.ts";
import { dial } from "../daemon/household.ts";
import { ServedBench } from "../http/served.ts";

const MUTE = ["sh", "-c", "stty -echo; echo ready; exec cat >/dev/null"];

async function driven({ http }: ServedBench): Promise<{ id: string; token: string }> {
  return (await http.post("/api/v1/pty/sessions", { cmd: MUTE })).body.data as { id: string; token: string };
}

describe("A session's token", () => {
  /**
   * A token that a program got with the terminal it started made it the user, exempt from all
   * limits.
   */
  test("is held to policy.max_input_bytes and policy.max_calls; a page is not", async () => {
    await using served = await ServedBench.open("[policy]\nmax_input_bytes = 100\nmax_calls = 2\n");
    const { http, bench } = served;
    const { id, token } = await driven(served);
    const type = (length: number, key: string) =>
      http.post(`/api/v1/sessions/${id}/input`, { text: "x".repeat(length) }, { token: key });
    expect(await type(100, token)).toMatchObject({ status: 200 });
    const refused = { status: 429, body: { error: { code: "ERLIMIT", details: { rule: "policy.max_input_bytes" } } } };
    expect(await type(101, token)).toMatchObject(refused);
    expect(await type(101, http.token)).toMatchObject(refused);
    using client = await dial(bench);
    const { ticket } = await client.call("web.ticket", { session_id: id, role: "driver" });
    const page = (await http.post("/api/v1/web/session", { ticket }, { token: null })).body.data.token as string;
    expect(await type(101, page)).toMatchObject({ status: 200 });

    const leave = new AbortController();
    const wait = () =>
      http.post(
        "/api/v1/session/wait",
        { session_id: id, until: ["exit"], timeout_ms: 20_000 },
        { token, signal: leave.signal },
      );
    const told = [1, 2, 3, 4].map(wait);
    expect(await Promise.race(told)).toMatchObject({
      status: 429,
      body: { error: { details: { rule: "policy.max_calls" } } },
    });
    leave.abort();
    await Promise.allSettled(told);
  });

  test("opens its own session under rules, as its creator may act on it, and no other", async () => {
    await using served = await ServedBench.open();
    const { http, bench } = served;
    const { id, token } = await driven(served);
    await bench.run(["start", "--session-id", "persons", "--", "cat"]);
    configure(bench, '[policy]\nallow = ["sh"]\n');
    const type = (session: string, key: string) =>
      http.post(`/api/v1/sessions/${session}/input`, { text: "x" }, { token: key });
    expect(await type(id, token)).toMatchObject({ status: 200 });
    expect(await type(id, http.token)).toMatchObject({ status: 200 });
    expect(await type("persons", token)).toMatchObject({ status: 403 });
    expect(await type("persons", http.token)).toMatchObject({ status: 403 });
    const made = await http.post("/api/v1/token/create", { session_id: "persons", role: "driver" });
    expect(made).toMatchObject({ status: 403, body: { error: { details: { rule: "policy.others" } } } });
  });
});
