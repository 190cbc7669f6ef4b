/**
 * `holt kill` of a session in which a program of root's ran (sudo) answered success with `survivors: []`, and the program ran on. What cannot be ended has to be
 * told: by the exit code, by name, and in the record.
 */
import { expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Final } from "../../src/protocol/types/session.ts";
import { asUser } from "../support/foreign-listener.ts";
import { collect, HOLT, type Result } from "../support/holt.ts";
import { isAlive } from "./processes.ts";
import { until } from "./size.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.error("\n!!! NOT TRIED: a program of another user's in a session (it takes root)\n");
const NOBODY = 65_534;
/** Root's by its mode, as sudo is. It ends by itself. */
const ROOTED = "#include <unistd.h>\nint main(void) { return setuid(0) || sleep(60); }";

test.skipIf(!isRoot).each(["kill", "stop"])("holt %s tells what it may not end", async (verb) => {
  const root = mkdtempSync("/tmp/h-"); // what the tests have else is not to be entered by others
  chmodSync(root, 0o755);
  chownSync(root, NOBODY, NOBODY);
  const rooted = join(root, "rooted");
  writeFileSync(`${rooted}.c`, ROOTED);
  expect(Bun.spawnSync(["gcc", "-o", rooted, `${rooted}.c`]).exitCode).toBe(0);
  chmodSync(rooted, 0o4755);
  const env = { PATH: process.env["PATH"] ?? "", HOLT_STATE_DIR: join(root, "state"), HOME: root, HOLT_NO_DAEMON: "1" };
  const holt = (...args: string[]): Promise<Result> =>
    collect(asUser(NOBODY, [HOLT, ...args]), { stdin: "", env, cwd: root });
  const pids = join(root, "pid");
  const script = `"${rooted}" & echo $! > "${pids}"; wait`;
  const id = "one";
  const userOf = (pid: number): string | undefined =>
    /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  let pid = 0;
  try {
    expect(await holt("start", "--no-pty", "--session-id", id, "--", "sh", "-c", script)).toMatchObject({ stderr: "" });
    await until("it has told its pid", () => existsSync(pids) && readFileSync(pids, "utf8").endsWith("\n"));
    pid = Number(readFileSync(pids, "utf8"));
    await until("it is root's", () => userOf(pid) === "0");
    const told = await holt(...(verb === "stop" ? ["stop", "--grace", "0s", id] : ["kill", id]));
    expect(told.stderr).toContain(`some of its processes still run: pid ${pid}\n`);
    expect(told.exitCode).toBe(1);
    const final = JSON.parse(readFileSync(join(root, "state/sessions", id, "final.json"), "utf8")) as Final;
    expect(final).toMatchObject({ reason: `${verb}_requested`, survivors: [{ pid }] });
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
    await until("it has ended", () => !isAlive(pid));
    expect(await holt("kill", id)).toMatchObject({ exitCode: 0, stderr: "" });
  } finally {
    if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGKILL");
    rmSync(root, { recursive: true, force: true });
  }
});
