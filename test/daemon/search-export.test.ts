/** session.search and session.export over the socket. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Params, Result } from "../../src/protocol/methods/table.schema.ts";
import { failure } from "../client/failure.ts";
import { withDaemon } from "./household.ts";

test("A search finds lines in all sessions, in pages that go on where the last one ended.", async () => {
  await withDaemon(async (client) => {
    for (const id of ["one", "two"]) {
      await client.call("session.start", { session_id: id, argv: ["sh", "-c", `seq -f '${id} needle %g' 5`] });
      await client.call("session.wait", { session_id: id });
    }
    const found: string[] = [];
    let after: Params<"session.search">["after"];
    for (;;) {
      const { hits, next } = await client.call("session.search", {
        query: "needle",
        limit: 3,
        ...(after && { after }),
      });
      expect(hits.length).toBeLessThanOrEqual(3);
      found.push(...hits.map(({ line }) => line));
      if (next === null) break;
      after = next;
    }
    const lines = (id: string): string[] => [1, 2, 3, 4, 5].map((n) => `${id} needle ${n}`);
    expect(found).toEqual([...lines("two"), ...lines("one")]);
    const regex = await client.call("session.search", { query: "TWO.*5", regex: true, ignore_case: true });
    expect(regex.hits).toEqual([{ session_id: "two", name: null, cursor: "56", line: "two needle 5" }]);
    expect((await client.call("session.search", { query: "needle", since: "2100-01-01T00:00:00Z" })).hits).toEqual([]);
    expect((await client.call("session.search", { query: "needle", project: "none" })).hits).toEqual([]);
    const search = (params: Params<"session.search">) => failure(client.call("session.search", params));
    expect(await search({ query: "(", regex: true })).toMatchObject({ code: "EBADARGS" });
    expect(await search({ query: "x", since: "yesterday" })).toMatchObject({ code: "EBADARGS" });
    expect(await search({ query: "x", after: { session_id: "gone", cursor: "0" } })).toMatchObject({
      code: "ENOTFOUND",
    });
  });
});

test("An export is in the answer where it is small, and else in a file that appears as a whole.", async () => {
  await withDaemon(async (client, bench) => {
    const { session_id } = await client.call("session.start", { argv: ["seq", "100000"], pty: { cols: 80, rows: 24 } });
    await client.call("session.wait", { session_id });
    const made = (params: Omit<Params<"session.export">, "session_id">) =>
      client.call("session.export", { session_id, ...params });
    expect(await made({ format: "text", until: "6" })).toEqual({
      format: "text",
      content: "1\n2\n",
      path: null,
      bytes: 4,
      cursor: "0",
      until: "6",
      next_cursor: null,
      missing_bytes: 0,
    });
    expect((await made({ until: "6" })).content).toStartWith('{"version":3');
    const path = join(bench.root, "all.txt");
    expect(await failure(made({ format: "text", max_bytes: 1000 }))).toMatchObject({ code: "ERLIMIT" });
    const file = await made({ format: "text", path });
    expect({ content: file.content, path: file.path, bytes: file.bytes }).toEqual({
      content: null,
      path,
      bytes: 588_895,
    });
    expect(readFileSync(path, "utf8")).toEndWith("99999\n100000\n");
    expect(await failure(made({ path }))).toMatchObject({ code: "EEXISTS" });
    expect(await failure(made({ path: "relative" }))).toMatchObject({ code: "EBADARGS" });
    const elsewhere = join(bench.root, "none", "x.cast");
    expect(await failure(made({ path: elsewhere }))).toMatchObject({ code: "ENOTFOUND" });
    expect(await failure(made({ cursor: "99999999" }))).toMatchObject({ code: "EBADARGS" });
    expect(await failure(client.call("session.export", { session_id: "nope" }))).toMatchObject({ code: "ENOTFOUND" });
    expect(existsSync(elsewhere)).toBe(false);
  });
});

/** More than a MiB of text could only be had as a file on the daemon's machine: whoever was elsewhere, a page say, could not have it at all. */
test("An export in parts is together the whole, however small they are, and the time between them is not lost.", async () => {
  await withDaemon(async (client, bench) => {
    const script =
      "seq 20000; printf 'no end yet '; sleep 0.3; echo äöü日本 end; seq 20000 21000 >&2; head -c 3000 /dev/zero | tr '\\0' x; exit 3";
    for (const how of [{ pty: { cols: 80, rows: 24 } }, {}]) {
      const { session_id } = await client.call("session.start", { argv: ["sh", "-c", script], ...how });
      await client.call("session.wait", { session_id });
      for (const format of ["text", "asciicast"] as const) {
        const parts: string[] = [];
        for (let cursor: string | null = "0"; cursor !== null; ) {
          const made: Result<"session.export"> = await client.call("session.export", {
            session_id,
            format,
            cursor,
            part: true,
            max_bytes: 2500,
          });
          expect(made.bytes).toBeLessThanOrEqual(2500);
          parts.push(made.content ?? "");
          cursor = made.next_cursor;
        }
        expect(parts.length).toBeGreaterThan(20);
        const path = join(bench.root, `${session_id}.${format}`);
        await client.call("session.export", { session_id, format, path });
        const [got, whole] = [parts.join(""), readFileSync(path, "utf8")];
        if (format === "text") expect(got).toBe(whole);
        else expect(played(got)).toEqual(played(whole));
      }
      for (const refused of [{ format: "html" as const }, { path: join(bench.root, "x") }])
        expect(await failure(client.call("session.export", { session_id, part: true, ...refused }))).toMatchObject({
          code: "EBADARGS",
        });
    }
  });
});

/** Parts were cut in the middle of a line where that had no end for long: of an hour of a progress bar each had its own last state, and half an escape sequence. */
test("A line that takes back what it printed is in one part of the text, however long it is.", async () => {
  await withDaemon(async (client) => {
    const step = String.raw`printf '\033[38;5;196mrow%s\r' $i; i=$((i + 1))`;
    const bar = String.raw`i=0; while [ $i -lt 400 ]; do ${step}; done; printf 'done\nnext\n'`;
    const { session_id } = await client.call("session.start", { argv: ["sh", "-c", bar] });
    await client.call("session.wait", { session_id });
    const parts: string[] = [];
    for (let cursor: string | null = "0"; cursor !== null; ) {
      const made: { content: string | null; next_cursor: string | null } = await client.call("session.export", {
        session_id,
        format: "text",
        cursor,
        part: true,
        max_bytes: 1024,
      });
      parts.push(made.content ?? "");
      cursor = made.next_cursor;
    }
    const whole = await client.call("session.export", { session_id, format: "text" });
    expect(whole.content).toBe("done99\nnext\n");
    expect(parts.join("")).toBe(whole.content ?? "");
  });
});

/** Its end was looked for in ever smaller steps, for seconds in which nobody else was answered. */
test("A line that is longer than a part is cut, at most as far from its beginning as a part goes.", async () => {
  await withDaemon(async (client) => {
    const rows = String.raw`BEGIN { for (i = 0; i < 40000; i++) printf "\033[%d;1Hrow %07d", i % 24 + 1, i }`;
    const { session_id } = await client.call("session.start", { argv: ["awk", rows], pty: false });
    await client.call("session.wait", { session_id });
    const params = { session_id, format: "text", part: true, max_bytes: 4096 } as const;
    const made = await client.call("session.export", params);
    expect(made.content).toStartWith("row 0000000\nrow 0000001\n");
    expect(Number(made.until)).toBeLessThanOrEqual(2048);
    expect(made.next_cursor).toBe(made.until);
  });
});

/** Found by a review: colours counted as if they took something back, and where such a line was cut all the same, half a colour was text. */
test("A line with colours that is longer than a part is cut between them.", async () => {
  await withDaemon(async (client) => {
    const words = 'BEGIN { for (i = 0; i < 9000; i++) printf "\\033[38;5;%dmwörd%d", i % 256, i }';
    const { session_id } = await client.call("session.start", { argv: ["awk", words], pty: false });
    await client.call("session.wait", { session_id });
    let text = "";
    for (let cursor: string | null = "0"; cursor !== null; ) {
      const params = { session_id, format: "text", cursor, part: true, max_bytes: 4096 } as const;
      const made: Result<"session.export"> = await client.call("session.export", params);
      text += made.content;
      cursor = made.next_cursor;
    }
    expect(text).toBe(Array.from({ length: 9000 }, (_, i) => `wörd${i}`).join(""));
  });
});

/** What is shown, in all and when: where it is cut into events is nobody's business. */
function played(cast: string): unknown {
  const [head = "", ...lines] = cast.trimEnd().split("\n");
  let at = 0;
  let text = "";
  const others: unknown[] = [];
  const times = new Map<string, number>();
  for (const [delta, code, data] of lines.map((line) => JSON.parse(line) as [number, string, string])) {
    at += Math.round(delta * 1000);
    if (code !== "o") others.push([at, code, data]);
    else text += data;
    for (const [word] of data.matchAll(/no end yet|end\r\n/g)) times.set(word, at);
  }
  return { head: JSON.parse(head) as object, text, others, times: [...times] };
}
