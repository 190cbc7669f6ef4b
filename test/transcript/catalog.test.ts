import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HoltError } from "../../src/protocol/types/errors.ts";
import { listSessions, resolveSession } from "../../src/transcript/read/catalog.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { metaOf, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const ids = (...options: Parameters<typeof listSessions> extends [unknown, ...infer Rest] ? Rest : never) =>
  listSessions(scratch.layout, ...options).map(({ session_id }) => session_id);

const at = (second: number) => ({ created_at: `2026-01-02T03:04:0${second}.000Z` });

function failure(reference: string): { code: string; message: string; hint: string | null } {
  try {
    resolveSession(scratch.layout, reference);
  } catch (error) {
    if (error instanceof HoltError) return { code: error.code, message: error.message, hint: error.hint };
  }
  throw new Error("it was found");
}

describe("the list", () => {
  test("is newest first, by time of creation and then by id", () => {
    scratch.end("b", { meta: at(1) });
    scratch.end("c", { meta: at(2) });
    scratch.end("a", { meta: at(1) });
    expect(ids()).toEqual(["c", "b", "a"]);
    expect(ids({ limit: 1 })).toEqual(["c"]);
  });

  test("can be of some states only", () => {
    scratch.end("over");
    scratch.end("killed", { final: { state: "signaled" } });
    scratch.lose("lost");
    using held = scratch.hold("alive");
    writeMeta(held.dir, metaOf("alive", at(9)));
    expect(new Set(ids())).toEqual(new Set(["alive", "over", "killed", "lost"]));
    expect(ids({ states: ["running"] })).toEqual(["alive"]);
    expect(ids({ states: ["failed", "signaled"] })).toEqual(["lost", "killed"]);
    expect(ids({ states: [] })).toEqual([]);
  });

  test("leaves out what cannot be read and what is no session", () => {
    scratch.end("good");
    scratch.end("damaged");
    plant(scratch, "damaged", "meta.json", "");
    plant(scratch, "damaged", "final.json", "");
    mkdirSync(scratch.path("empty"));
    mkdirSync(scratch.path(".removed-x"));
    writeFileSync(scratch.path("file"), "");
    expect(ids()).toEqual(["good"]);
  });

  test("is empty where there is no root", () => {
    expect(listSessions(layoutAt(join(scratch.root, "nowhere")))).toEqual([]);
  });
});

describe("a reference", () => {
  test("is an id, a name, or the beginning of one id, in this order", () => {
    scratch.end("k3f9q2", { meta: { name: "build" } });
    scratch.end("k3f9", { meta: { name: "test" } });
    scratch.end("m81xz0");
    scratch.end("build-1");
    for (const [reference, id] of [
      ["k3f9", "k3f9"],
      ["k3f9q", "k3f9q2"],
      ["m", "m81xz0"],
      ["build-", "build-1"],
      ["build", "k3f9q2"],
      ["test", "k3f9"],
    ]) {
      expect([reference, resolveSession(scratch.layout, reference ?? "").session_id]).toEqual([reference, id]);
    }
  });

  test("by a name that several had means the one that lives", () => {
    const created_at = new Date(Date.now() - 180_500).toISOString();
    scratch.end("one", { meta: { name: "web", created_at, argv: ["sh", "-c", "exit 3"] } });
    const argv = ["npm", "run", "dev", "--", "--host", "0.0.0.0", "--port", "3000"];
    scratch.end("two", { meta: { name: "web", created_at, argv } });
    // It advised "more of the id" to somebody who had typed a name, and the candidates looked all the same.
    expect(failure("web")).toEqual({
      code: "EBADARGS",
      message: '"web" names more than one session',
      hint: 'use an id:\ntwo ("web", 3m ago, npm run dev -- --host 0.0.0.0…)\none ("web", 3m ago, sh -c \'exit 3\')',
    });
    scratch.end("web-1");
    expect(failure("web").code).toBe("EBADARGS");
    using held = scratch.hold("three");
    writeMeta(held.dir, metaOf("three", { name: "web" }));
    expect(resolveSession(scratch.layout, "web").session_id).toBe("three");
  });

  // With two that lived the one that had ended was meant all of a sudden: `holt stop` said that all was well, and both ran on.
  test("that is the id of one that has ended means the one of that name that lives, and of two neither", () => {
    scratch.end("job");
    expect(resolveSession(scratch.layout, "job").session_id).toBe("job");
    using one = scratch.hold("one");
    writeMeta(one.dir, metaOf("one", { name: "job" }));
    expect(resolveSession(scratch.layout, "job").session_id).toBe("one");
    using two = scratch.hold("two");
    writeMeta(two.dir, metaOf("two", { name: "job" }));
    expect(failure("job")).toMatchObject({ code: "EBADARGS", message: '"job" names more than one session' });
  });

  test("that begins several ids is ambiguous, unless it is a name", () => {
    for (const id of ["aa1", "aa2", "aa3", "aa4", "aa5", "aa6", "aa7"]) scratch.end(id);
    expect(failure("aa")).toMatchObject({ code: "EBADARGS", message: '"aa" begins more than one session id' });
    expect(failure("aa").hint).toStartWith("use more of the id:\naa7 (");
    expect(failure("aa").hint).toContain("and 2 more");
    scratch.end("other", { meta: { name: "aa" } });
    expect(resolveSession(scratch.layout, "aa").session_id).toBe("other");
  });

  test("that means nothing is told with what is near", () => {
    scratch.end("k3f9q2", { meta: { name: "build" } });
    expect(failure("buidl")).toEqual({
      code: "ENOTFOUND",
      message: "session not found: buidl",
      hint: 'did you mean "build" (k3f9q2)? `holt ls --all` shows ended ones',
    });
    expect(failure("entirely-different").hint).toBe("`holt ls --all` shows ended ones");
    expect(failure("")).toMatchObject({ code: "EBADARGS", message: "the session id is empty" });
    expect(failure("../../etc").code).toBe("ENOTFOUND");
  });
});
