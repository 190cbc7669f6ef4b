/** The examples of docs/http.md, as they stand there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { collect, HOLT } from "../support/holt.ts";
import { ServedBench } from "./served.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/http.md"), "utf8");

function block(language: string, beginning: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))];
  return blocks.map(([, text = ""]) => text).find((text) => text.startsWith(beginning)) ?? "";
}

let served: ServedBench;
let env: Record<string, string>;
beforeAll(async () => {
  served = await ServedBench.open("", { BROWSER: "", DISPLAY: "", WAYLAND_DISPLAY: "" });
  const { bench } = served;
  // The state directory where it usually is, and holt in the PATH.
  mkdirSync(join(bench.root, ".local/state"), { recursive: true });
  symlinkSync(bench.state, join(bench.root, ".local/state/holt"));
  mkdirSync(join(bench.root, "bin"));
  symlinkSync(HOLT, join(bench.root, "bin/holt"));
  env = { ...bench.env, HOME: bench.root, PATH: `${bench.root}/bin:${bench.env["PATH"]}` };
});
afterAll(async () => served[Symbol.asyncDispose]());

test("The lines with curl do what they say.", async () => {
  const [first = "", ...lines] = block("sh", "url=").trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(6);
  const script = [first, ...lines.flatMap((line) => [line, "echo; echo ----"])].join("\n");
  const { text, stderr, exitCode } = await collect(["bash", "-ec", script], { stdin: "", env, cwd: served.bench.root });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const answers = text.split("\n----\n").slice(0, lines.length);
  const [health, started, executed, typed, screen, metrics, deleted] = answers.map((answer) =>
    answer.startsWith("{") ? (JSON.parse(answer) as unknown) : answer,
  );
  expect(health).toEqual({ apiVersion: "1.0", data: { status: "ok" } });
  expect(started).toMatchObject({ data: { session_id: "api", state: "running" } });
  expect(executed).toMatchObject({ data: { exec_id: 1, exit_code: 0, text: "/etc\n" } });
  expect(typed).toMatchObject({ data: { bytes_written: 11 } });
  expect(screen).toMatchObject({ data: { content: expect.stringContaining("/etc") } });
  expect(metrics).toContain('holt_calls_total{method="session.exec"} 1');
  expect(deleted).toMatchObject({ data: { id: "api", state: expect.stringMatching(/exited|signaled/) } });
});

test("The lines in Python attach, type, and print what comes.", async () => {
  const { http, bench } = served;
  const path = join(bench.root, "attach.py");
  writeFileSync(path, block("python", "import"));
  const { body } = await http.post("/api/v1/pty/sessions", { cmd: ["bash", "--norc"], env: { PS1: "$ " } });
  const { id, token } = body.data as { id: string; token: string };
  await http.post("/api/v1/session/wait", { session_id: id, until: ["prompt"] });
  // Debian's own, which has the library.
  const ran = await collect(["/usr/bin/python3", path, http.origin, id, token], { stdin: "", env, cwd: bench.root });
  expect({ stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(ran.text).toContain("42\r\nexit\r\n");
  await until("the shell has ended", () => bench.final(id).exit_code === 0);
});
