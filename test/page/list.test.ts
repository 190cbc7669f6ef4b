// The list and the dialogs: by keyboard alone, and with fifty sessions, five of them flooding.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dial } from "../daemon/household.ts";
import { MADE } from "../../src/page/made.ts";
import { Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

test("the page is at most 400 KB, compressed", () => {
  const sizes = Object.values(MADE).map(({ gzip }) => Uint8Array.fromBase64(gzip).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
});

describe("by keyboard alone", () => {
  test("a session is found, opened, renamed, typed into and left, with a visible focus", async () => {
    for (const name of ["one", "two", "three"]) await visit.start(["--name", name], ["cat"]);
    await using tab = await visit.home();
    const { keyboard } = tab.page;
    const focused = (): Promise<string> =>
      tab.page.evaluate<string>(`document.activeElement.querySelector(".name")?.textContent ?? ""`);
    for (const name of ["three", "two", "one"]) {
      await keyboard.press("j");
      expect(await focused()).toBe(name);
    }
    await keyboard.press("k");
    expect(await focused()).toBe("two");
    const outline = await tab.page.evaluate<string>(`getComputedStyle(document.activeElement).outlineStyle`);
    expect(outline).toBe("solid");
    await keyboard.press("Enter");
    await tab.page.locator(".bar h2", { hasText: "two" }).waitFor();
    await tab.until(`document.activeElement.closest(".terminal") !== null`);
    await keyboard.type("jk?/n"); // the terminal's
    await tab.shows("jk?/n");
    await keyboard.press("Control+k");
    await keyboard.type("rename");
    await keyboard.press("Enter");
    await tab.page.getByRole("dialog", { name: "Rename" }).waitFor();
    await keyboard.press("Control+a");
    await keyboard.type("second");
    await keyboard.press("Enter");
    await tab.row("second").waitFor();
    await keyboard.press("Control+Shift+E");
    await tab.until(`document.activeElement.matches(".row")`);
    await keyboard.press("?");
    await tab.page.getByRole("dialog", { name: "Keys" }).waitFor();
    await keyboard.press("Escape");
    await keyboard.press("Control+Shift+E");
    await tab.until(`document.activeElement.matches(".row")`);
    await keyboard.press("/");
    await keyboard.type("thr");
    await tab.row("one").waitFor({ state: "detached" });
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await tab.page.locator(".bar h2", { hasText: "three" }).waitFor();
    await keyboard.press("Control+Shift+E");
    await tab.until(`document.activeElement.matches(".row")`);
    await keyboard.press("b");
    await tab.page.locator(".rail").waitFor({ state: "hidden" });
    await tab.page.getByRole("button", { name: "Sessions" }).press("Enter");
    await tab.page.locator(".rail").waitFor();
  });
});

describe("a failed start or rename", () => {
  // The error was shown in a corner of the page, behind the dialog.
  test("is shown in the dialog until the next try", async () => {
    await using tab = await visit.home();
    const dialog = tab.page.getByRole("dialog");
    const refusal = dialog.getByRole("alert");
    await tab.page.keyboard.press("n");
    await tab.page.getByLabel("Command").fill("nosuchcmd");
    await tab.page.keyboard.press("Enter");
    await refusal.getByText("nosuchcmd").waitFor();
    expect(await tab.page.locator(".toast").count()).toBe(0);
    await tab.page.getByLabel("Command").fill("cat");
    await tab.page.getByLabel("Name").fill("at the second try");
    await tab.page.keyboard.press("Enter");
    await refusal.waitFor({ state: "detached" });
    await tab.page.locator(".bar h2", { hasText: "at the second try" }).waitFor();
    await tab.page.keyboard.press("Control+k");
    await tab.page.keyboard.type("rename");
    await tab.page.keyboard.press("Enter");
    await dialog.getByLabel("Name").fill("long ".repeat(40));
    await dialog.getByRole("button", { name: "Rename" }).click();
    await refusal.getByText("1 to 128 printable characters").waitFor();
  });
});

describe("a session in the list", () => {
  test("is stopped, killed, and removed unless the removal is undone", async () => {
    await visit.start(
      ["--name", "stoppable"],
      ["sh", "-c", "trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done"],
    );
    const killable = await visit.start(
      ["--name", "killable"],
      ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"],
    );
    await using tab = await visit.home();
    await tab.open("stoppable");
    await tab.page.locator(".bar").getByRole("button", { name: "Stop" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
    await tab.page.locator(".bar .state", { hasText: "exited 3" }).waitFor();
    await tab.shows("bye");
    await tab.open("killable");
    await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Stop or kill" }).click();
    // It was killed by the menu itself, with nothing asked and nothing to take back.
    await tab.page.getByRole("dialog").getByRole("button", { name: "Leave it" }).click();
    await tab.page.locator("dialog[open]").waitFor({ state: "detached" });
    expect(await visit.call("session.get", { session_id: killable })).toMatchObject({ state: "running" });
    await tab.page.keyboard.press("Control+k");
    await tab.page.keyboard.type("or kill");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Kill at once" }).click();
    await tab.page.locator(".bar .state", { hasText: "signaled SIGKILL" }).waitFor();
    for (const end of ["Undo", "Dismiss"]) {
      await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
      await tab.page.getByRole("menuitem", { name: "Remove" }).click();
      await tab.row("killable").waitFor({ state: "detached" });
      await tab.page.locator(".toast", { hasText: "Removed killable" }).getByRole("button", { name: end }).click();
      if (end === "Undo") await tab.open("killable");
    }
    const names = async (): Promise<(string | null)[]> =>
      (await visit.call<{ sessions: { name: string | null }[] }>("session.list", {})).sessions.map(({ name }) => name);
    while ((await names()).includes("killable")) await Bun.sleep(100);
    expect(await names()).toContain("stoppable");
  });

  // Activity covers live sessions only, so ended ones showed nothing but their outcome.
  test("that has ended shows its outcome and its last line", async () => {
    const id = await visit.start(["--name", "spoken"], ["sh", "-c", "echo first; echo the last word; echo; exit 3"]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.row("spoken").locator(".last:text-is('exited 3 · the last word')").waitFor();
  });

  // "stopped" meant both ended on request and suspended by Ctrl-Z, and a failed spawn was "exited
  // 127".
  test("that has ended has the same state as in `holt ls`", async () => {
    const ids = [
      await visit.start(["--name", "all well"], ["true"]),
      await visit.start(["--name", "not well"], ["sh", "-c", "exit 3"]),
      await visit.start(["--name", "late", "--timeout", "200ms"], ["sleep", "600"]),
      await visit.start(["--name", "killed"], ["sleep", "600"]),
    ];
    await visit.holt("kill", "killed");
    for (const id of ids) await visit.bench.run(["wait", id]);
    await visit.bench.run(["start", "--name", "never", "--", "/nosuchcmd"]);
    await using tab = await visit.home();
    const words = { "all well": "exited 0", "not well": "exited 3", late: "timeout", killed: "signaled SIGKILL" };
    for (const [name, word] of Object.entries({ ...words, never: "failed to start" }))
      await tab.row(name).locator(`.state .unseen:text-is("${word}")`).waitFor({ state: "attached" });
  });

  test("without a name shows as much of its command as fits", async () => {
    const id = await visit.start([], ["sleep", "600", ...Array.from({ length: 9 }, (_, at) => `0.${at}`)]);
    await using tab = await visit.home();
    const share = `(() => {
      const first = document.querySelector('.row[data-id="${id}"] .first');
      return first === null ? 0 : (first.getBoundingClientRect().right - first.querySelector(".name").getBoundingClientRect().right);
    })()`;
    await tab.page.locator(`.row[data-id="${id}"]`).waitFor();
    expect(await tab.page.evaluate<number>(share)).toBeLessThan(2);
    await visit.holt("kill", id);
  });

  test("that waits for input comes first, and projects have their own groups", async () => {
    await visit.start(["--name", "asking"], ["bash", "-c", "read -s -p 'Password: ' x; cat"]);
    await visit.start(["--name", "of-a-project", "--project", "otter"], ["sleep", "600"]);
    await visit.holt("wait", await visit.start(["--project", "badger"], ["true"]));
    await visit.start(["--name", "edited"], ["vim", "-n", "-u", "NONE", "-i", "NONE"]);
    await using tab = await visit.home();
    await tab.page.getByRole("region", { name: "otter" }).locator(".row").waitFor();
    const first = tab.page.getByRole("region", { name: "Waiting for you" });
    await first.locator(".row", { hasText: "asking" }).waitFor();
    // A project of which nothing runs stands with what has ended.
    await tab.until(
      `[...document.querySelectorAll(".list section")].map((each) => each.ariaLabel).filter((each) => ["otter", "Running", "badger"].includes(each)).join() === "otter,Running,badger"`,
    );
    // An editor waits for keys as long as it lives: nobody is called for that.
    await tab.page
      .getByRole("region", { name: "Running" })
      .locator(".row", { hasText: "edited" })
      .getByText("ready")
      .waitFor({ state: "attached" });
    await first.locator(".row", { hasText: "asking" }).click();
    await tab.type("secret\n");
    await tab.row("asking").waitFor();
  });
});

describe("with fifty sessions, five of them flooding", () => {
  test("keys are echoed and buttons work", async () => {
    // Megabytes a second each, with pauses that leave something of the machine to whoever else is tested.
    const flood = "while :; do yes flooding with a line of some length | head -c 200000; sleep 0.05; done";
    using daemon = await dial(visit.bench);
    const start = async (name: string, argv: string[]): Promise<string> =>
      (await daemon.call("session.start", { argv, name, pty: { cols: 100, rows: 30 } })).session_id;
    await Promise.all(Array.from({ length: 45 }, (_, number) => start(`quiet-${number}`, ["cat"])));
    const floods = await Promise.all(
      Array.from({ length: 5 }, (_, number) => start(`flood-${number}`, ["sh", "-c", flood])),
    );
    await using tab = await visit.home();
    await tab.until(`document.querySelectorAll(".row").length >= 50`);
    await tab.open("flood-0");
    await tab.shows("flooding");
    await tab.open("quiet-7");
    await tab.run("typed beside floods");
    await tab.shows(/typed beside floods\n+typed beside floods/);
    await tab.open("flood-1");
    await tab.shows("flooding");
    await tab.page.locator(".bar").getByRole("button", { name: "Details" }).click();
    await tab.page.locator("dialog[open] .plot").first().waitFor();
    await Promise.all(floods.map((session_id) => daemon.call("session.kill", { session_id })));
  });
});
