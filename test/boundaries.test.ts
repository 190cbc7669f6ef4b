// The import rule of each room (scripts/boundaries.js) is broken once, in a copy of the repository's
// configuration with a small tree of its own, and `make check` must fail with the rule's words.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOMS } from "../scripts/boundaries.js";

const root = join(import.meta.dir, "..");

/** Every file is legal; each imports everything that it may. */
const LEGAL: Record<string, string> = {
  "protocol/a.ts": `import "node:fs"; export const a = 1;`,
  "protocol/methods/a.ts": `import type { S } from "./s.schema.ts"; export type T = S;`,
  "protocol/methods/s.schema.ts": `import { z } from "zod"; import "../wire/a.ts"; export const s = z.string(); export type S = string;`,
  "protocol/wire/a.ts": `import "bun:ffi"; import "../types/a.ts"; export const a = 1;`,
  "protocol/types/a.ts": `export const a = 1;`,
  "platform/a.ts": `import "../protocol/a.ts"; export const a = 1;`,
  "config/a.ts": `import "../protocol/a.ts"; import "../platform/a.ts"; export const a = 1;`,
  "policy/a.ts": `import "../protocol/a.ts"; export const a = 1;`,
  "transcript/a.ts": `import "../protocol/a.ts"; import "../platform/a.ts"; export const a = 1;`,
  "terminal/a.ts": `import "../protocol/a.ts"; export const a = 1;`,
  "process/a.ts": `import "../protocol/a.ts"; import "../platform/a.ts"; export const a = 1;`,
  "terminal/emulator/emulator.ts": `import "@xterm/headless"; export const a = 1;`,
  "rendering/a.ts": `import "../transcript/a.ts"; import "../terminal/a.ts"; export const a = 1;`,
  "holder/a.ts": `import "../rendering/a.ts"; import "../terminal/a.ts"; import "../process/a.ts"; export const a = 1;`,
  "client/a.ts": `import "../platform/a.ts"; import "../rendering/a.ts"; export const a = 1;`,
  "daemon/a.ts": `import "zod"; import "../client/a.ts"; import "../surfaces/mcp/a.ts"; import "../config/a.ts"; import "../policy/a.ts"; import "../page/a.ts"; export const a = 1;`,
  "surfaces/mcp/a.ts": `import "zod"; import "@modelcontextprotocol/server"; import "../../client/a.ts"; import "../../protocol/methods/s.schema.ts"; export const a = 1;`,
  "page/a.ts": `import "../surfaces/mcp/a.ts"; export const a = 1;`,
  "cli/a.ts": `import "../client/a.ts"; import "../terminal/a.ts"; import "../platform/a.ts"; export const a = 1;`,
  "cli/commands/sessions/run.ts": `export const run = async () => await import("../../../holder/a.ts");`,
  "cli/commands/machine/mcp.ts": `export const mcp = async () => await import("../../../surfaces/mcp/a.ts");`,
  "main.ts": `import "./cli/a.ts"; export const main = async () => await import("./process/a.ts");`,
};

/** [file, what it says, the words of the rule that it breaks] */
const BROKEN: [string, string, string][] = [
  ["protocol/x.ts", `import "../platform/a.ts";`, "protocol imports nothing of ours, not platform/a.ts"],
  ["protocol/y.ts", `import "zod";`, "zod only in surfaces/, daemon/ and protocol/*.schema.ts"],
  ["protocol/x.schema.ts", `import "@modelcontextprotocol/server";`, "@modelcontextprotocol/* only in surfaces/"],
  ["platform/x.ts", `import "../transcript/a.ts";`, "platform imports only protocol of ours, not transcript/a.ts"],
  ["transcript/x.ts", `import "../process/a.ts";`, "transcript imports only protocol, platform of ours"],
  ["terminal/x.ts", `import "../platform/a.ts";`, "terminal imports only protocol of ours"],
  ["process/x.ts", `import "../holder/a.ts";`, "process imports only protocol, platform of ours"],
  ["process/deep/er/x.ts", `import "../../../terminal/a.ts";`, "process imports only protocol, platform of ours"],
  [
    "holder/x.ts",
    `import "../client/a.ts";`,
    "holder imports only protocol, platform, transcript, terminal, process, rendering",
  ],
  [
    "rendering/x.ts",
    `import "../holder/a.ts";`,
    "rendering imports only protocol, platform, transcript, terminal of ours",
  ],
  ["terminal/y.ts", `import "@xterm/headless";`, "@xterm/* only in terminal/emulator*.ts"],
  [
    "daemon/x.ts",
    `import "../holder/a.ts";`,
    "daemon imports only protocol, platform, config, policy, transcript, client, surfaces, page of ours",
  ],
  [
    "client/x.ts",
    `import "../holder/a.ts";`,
    "client imports only protocol, platform, transcript, terminal, rendering of ours",
  ],
  ["page/x.ts", `import "../client/a.ts";`, "page imports only surfaces of ours"],
  ["surfaces/y.ts", `import "../page/a.ts";`, "surfaces imports only protocol, client, terminal of ours"],
  ["surfaces/x.ts", `import "../holder/a.ts";`, "surfaces imports only protocol, client, terminal of ours"],
  ["cli/x.ts", `import "../holder/a.ts";`, "cli imports only protocol, client, terminal, platform, config of ours"],
  ["cli/y.ts", `import "zod";`, "zod only in surfaces/"],
  ["cli/z.ts", `import "../protocol/methods/s.schema.ts";`, "zod only in surfaces/"],
  ["cli/deep/run.ts", `import "../../holder/a.ts";`, "cli imports only"],
  ["cli/out.ts", `import "../../test/t.ts";`, "cli imports only"],
  ["main-two.ts", `import "./cli/a.ts";`, "src/main-two.ts is not a room"],
  ["platform/log/x.ts", `import "../tty/a.ts";`, "platform/log imports only fs of its room, not platform/tty/a.ts"],
  ["terminal/parser/x.ts", `import "../screen/a.ts";`, "terminal/parser imports nothing of its room"],
  ["holder/cellar/x.ts", `import "../session/a.ts";`, "src/holder/cellar has no row in FOLDERS"],
  ["attic/x.ts", `import "../protocol/a.ts";`, "src/attic is not a room"],
  ["holder/y.ts", `import "left-pad";`, "package left-pad has no row in scripts/boundaries.js"],
  ["holder/z.ts", `import "fs";`, "package fs has no row in scripts/boundaries.js"],
];

/** However it is written, it is an import. */
const WAYS: [string, string][] = [
  ["import-type", `import type { A } from "../holder/a.ts"; export type B = A;`],
  ["export-from", `export { a } from "../holder/a.ts";`],
  ["export-star", `export * from "../holder/a.ts";`],
  ["dynamic", `export const f = async () => await import("../holder/a.ts");`],
  ["template", "export const f = async () => await import(`../holder/a.ts`);"],
  ["import-type-of", `export type B = import("../holder/a.ts").A;`],
];

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "rooms-"));
  for (const name of [
    "Makefile",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    ".oxlintrc.json",
  ]) {
    cpSync(join(root, name), join(copy, name));
  }
  cpSync(join(root, "scripts/boundaries.js"), join(copy, "scripts/boundaries.js"));
  cpSync(join(root, "web/tsconfig.json"), join(copy, "web/tsconfig.json"));
  writeFileSync(join(copy, "web/a.ts"), "export const a = 1;\n");
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rmSync(copy, { recursive: true }));

function fill(tree: Record<string, string>): void {
  rmSync(join(copy, "src"), { recursive: true, force: true });
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(copy, "src", file)), { recursive: true });
    writeFileSync(join(copy, "src", file), `${text}\n`);
  }
}

type Finding = { code: string; message: string; filename: string };

/** What the boundary rule says about each file of a tree. */
function lint(tree: Record<string, string>): Map<string, string> {
  fill(tree);
  const { stdout } = Bun.spawnSync(["node_modules/.bin/oxlint", "-f", "json", "src"], { cwd: copy });
  const { diagnostics } = JSON.parse(stdout.toString()) as { diagnostics: Finding[] };
  return new Map(
    diagnostics
      .filter(({ code }) => code.includes("boundaries"))
      .map(({ filename, message }) => [filename.replace("src/", ""), message]),
  );
}

/** `make check` itself; -o because the dependencies, which are the repository's own, are never to be installed from here, nor is there a page to make. */
function check(tree: Record<string, string>): { exitCode: number; output: string } {
  fill(tree);
  const known = ["node_modules/.stamp", "src/page/made.ts"].flatMap((file) => ["-o", file]);
  const run = Bun.spawnSync(["make", ...known, "check"], { cwd: copy, env: cleanEnvironment() });
  return { exitCode: run.exitCode, output: run.stdout.toString() + run.stderr.toString() };
}

function cleanEnvironment(): Record<string, string | undefined> {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _mflags, ...rest } = process.env;
  return rest;
}

test("every folder of src is a room with a rule", () => {
  const rooms = Object.keys(ROOMS);
  expect(readdirSync(join(root, "src")).filter((name) => !rooms.includes(name))).toEqual([]);
});

test("imports that follow the rules pass", () => {
  expect(Object.fromEntries(lint(LEGAL))).toEqual({});
});

describe("an import that breaks a rule is refused with the rule's words", () => {
  let found: Map<string, string>;
  beforeAll(() => {
    found = lint({ ...LEGAL, ...Object.fromEntries(BROKEN.map(([file, text]) => [file, text])) });
  });

  for (const [file, text, rule] of BROKEN) {
    test(`${file}: ${text}`, () => expect(found.get(file)).toContain(`import boundary: ${rule}`));
  }
  test("and nothing else is", () => {
    expect([...found.keys()].toSorted()).toEqual(BROKEN.map(([file]) => file).toSorted());
  });
});

describe("every way of importing is seen", () => {
  let found: Map<string, string>;
  beforeAll(() => {
    const computed = `export const f = async (x: string) => await import(x);`;
    const tree = Object.fromEntries(WAYS.map(([name, text]) => [`process/${name}.ts`, text]));
    found = lint({ ...LEGAL, ...tree, "process/computed.ts": computed });
  });

  for (const [name] of WAYS) {
    test(name, () => expect(found.get(`process/${name}.ts`)).toContain("process imports only protocol, platform"));
  }
  test("computed: one that cannot be read is refused", () => {
    expect(found.get("process/computed.ts")).toContain("import() takes a literal");
  });
});

describe("make check", () => {
  const main = { "main.ts": `export const main = async () => await import("./cli/a.ts");` };
  const cli = { "cli/a.ts": `export const a = 1;` };

  test("passes on a tree that keeps the rules", () => {
    expect(check({ ...main, ...cli })).toEqual({ exitCode: 0, output: expect.any(String) });
  });

  test("fails on one that breaks a rule, and names it", () => {
    const broken = check({ ...main, ...cli, "holder/b.ts": `export { a } from "../cli/a.ts";` });
    expect(broken.exitCode).not.toBe(0);
    expect(broken.output).toContain("import boundary: holder imports only");
  });
});
