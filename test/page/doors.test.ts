// Sign-in, errors of sign-in, and the page without network or daemon.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { doorPages, withOpener } from "../http/door-pages.ts";
import { Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

test("the file that `holt web` opens in a browser leads to the page, signed in", async () => {
  await visit.shell("at home");
  const env = withOpener(visit.bench.root, "true");
  await visit.bench.run(["web", "--port", "0"], { env });
  const [door = ""] = doorPages(visit.bench);
  await using tab = await visit.tab({ link: pathToFileURL(door).href });
  await tab.row("at home").waitFor();
  expect(tab.page.url()).not.toContain("ticket");
});

describe("a shared link", () => {
  test("opens one session: a viewer sees it and cannot type, a driver can", async () => {
    const shared = await visit.shell("shared");
    await visit.shell("private");
    await using owner = await visit.home();
    await owner.open("shared");
    await owner.shows("$");
    const link = async (who: RegExp): Promise<string> => {
      await owner.page.getByRole("button", { name: "Share" }).click();
      await owner.page.getByRole("radio", { name: who }).check();
      await owner.page.getByRole("button", { name: "Make a link" }).click();
      const made = await owner.page.getByLabel("Link", { exact: true }).inputValue();
      await owner.page.keyboard.press("Escape");
      return made;
    };
    await using viewer = await visit.tab({ link: await link(/watches/) });
    await viewer.shows("$");
    await viewer.page.getByText("watching", { exact: true }).waitFor();
    expect(await viewer.page.locator(".rail").count()).toBe(0);
    expect(await viewer.page.content()).not.toContain("private");
    await viewer.type("echo of the viewer\n");
    await using driver = await visit.tab({ link: await link(/may type/) });
    await driver.shows("$");
    await driver.run("echo of the driver");
    await owner.shows(/^of the driver$/m);
    await viewer.shows(/^of the driver$/m);
    expect(await owner.text()).not.toContain("of the viewer");
    // What the page does not offer, the daemon refuses: the viewer's key types nothing.
    const token = await viewer.page.evaluate<string>(`JSON.parse(sessionStorage.getItem("holt-key")).token`);
    const body = JSON.stringify({ session_id: shared, text: "echo of the viewer\n" });
    const sent = (key: string): Promise<number> =>
      viewer.page.evaluate<number>(
        `fetch("/api/v1/session/send", { method: "POST", headers: { authorization: "Bearer ${key}", "content-type": "application/json" }, body: ${JSON.stringify(body)} }).then(({ status }) => status)`,
      );
    expect(await sent(token)).toBe(403);
    const driving = await driver.page.evaluate<string>(`JSON.parse(sessionStorage.getItem("holt-key")).token`);
    expect(await sent(driving)).toBe(200);
  });

  test("that was used, has expired or is forged is reported as invalid", async () => {
    const link = await visit.link();
    await (await visit.tab({ link })).close();
    const { ticket, expires_at } = await visit.call<{ ticket: string; expires_at: string }>("web.ticket", {
      expires_in_seconds: 1,
    });
    await Bun.sleep(Math.max(0, Date.parse(expires_at) - Date.now()) + 1);
    const [origin = ""] = link.split("#");
    for (const bad of [link, `${origin}#ticket=${ticket}`, `${origin}#ticket=${"A".repeat(43)}`]) {
      await using tab = await visit.tab({ link: bad });
      await tab.page.getByRole("heading", { name: "This link is not valid" }).waitFor();
      expect(tab.page.url()).not.toContain("ticket");
      expect(await tab.page.locator(".rail, .session").count()).toBe(0);
    }
    await using bare = await visit.tab({ link: origin });
    await bare.page.getByRole("heading", { name: "This tab has no key" }).waitFor();
  });

  test("that is revoked closes what was opened with it", async () => {
    await visit.link(); // so that it is served
    const session_id = await visit.start(["--name", "taken"], ["cat"]);
    const made = await visit.call<{ url: string; token_id: string }>("web.ticket", { session_id });
    await using tab = await visit.tab({ link: made.url });
    await tab.page.locator(".bar h2", { hasText: "taken" }).waitFor();
    await visit.call("token.revoke", { token_id: made.token_id });
    await tab.page
      .getByRole("heading", { name: "The key of this tab is no longer valid" })
      .or(tab.page.getByText("This link is no longer valid"))
      .first()
      .waitFor();
  });
});

describe("offline", () => {
  test("a killed daemon is reported, and nothing is lost once there is a new one", async () => {
    const go = join(visit.bench.root, "go");
    await visit.start(
      ["--name", "counting"],
      ["sh", "-c", `echo begun; while ! [ -e ${go} ]; do sleep 0.05; done; seq -s ' ' 1 50; echo done; cat`],
    );
    await using tab = await visit.home();
    await tab.open("counting");
    await tab.shows("begun");
    visit.bench.killDaemon();
    await tab.page.locator(".offline", { hasText: "Offline" }).getByText("What you type now is not sent").waitFor();
    expect(await tab.page.locator(".banner").count()).toBe(0); // which says the same, over the first lines of the terminal
    await visit.holt("logs", "counting"); // which works without a daemon
    await Bun.write(go, "");
    await visit.holt("daemon"); // serves where the last one did
    await tab.page.locator(".offline").waitFor({ state: "detached" });
    await tab.shows("49 50");
    await tab.run("typed after it");
    await tab.shows(/typed after it\n+typed after it/);
    expect((await tab.text()).match(/begun/g)).toHaveLength(1);
  });

  test("the output of a session on pipes continues after a killed daemon", async () => {
    // Its wait for more failed with the connection, and was not made again: the page showed the same lines for ever.
    const [go, more] = [join(visit.bench.root, "go-on"), join(visit.bench.root, "more")];
    const until = (file: string): string => `while ! [ -e ${file} ]; do sleep 0.05; done`;
    await visit.start(
      ["--name", "piped", "--no-pty"],
      ["sh", "-c", `echo begun; ${until(go)}; echo missed; ${until(more)}; echo heard; sleep 600`],
    );
    await using tab = await visit.home();
    await tab.open("piped");
    const output = tab.page.locator("pre.output");
    await output.getByText("begun").waitFor();
    visit.bench.killDaemon();
    await tab.page.locator(".offline", { hasText: "Offline" }).waitFor();
    await Bun.write(go, "");
    await visit.holt("daemon");
    await tab.page.locator(".offline").waitFor({ state: "detached" });
    await output.getByText("missed").waitFor();
    await Bun.write(more, "");
    await output.getByText("heard").waitFor();
    expect(await output.textContent()).toBe("begun\nmissed\nheard\n");
  });

  test("the page recovers from a lost network", async () => {
    await visit.start(["--name", "netted"], ["cat"]);
    await using tab = await visit.home();
    await tab.open("netted");
    await tab.run("before");
    await tab.shows(/before\n+before/);
    await tab.page.context().setOffline(true);
    // Whether a browser cuts what is open is its own affair: a daemon that is gone meanwhile cuts it for sure.
    visit.bench.killDaemon();
    await tab.page.locator(".offline", { hasText: "Offline" }).waitFor();
    await visit.holt("daemon");
    await visit.holt("send", "netted", "--text", "meanwhile\n");
    await tab.page.context().setOffline(false);
    await tab.page.locator(".offline").waitFor({ state: "detached" });
    await tab.shows(/meanwhile\n+meanwhile/);
  });
});

describe("two daemons", () => {
  // Bun shares a port between processes unless `development` is set: a second daemon took half of
  // the requests.
  test("do not share a port", async () => {
    const [origin = ""] = (await visit.link()).split("#");
    using other = Visit.household();
    const { exitCode, stderr } = await other.run(["web", "--no-open", "--port", new URL(origin).port]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("another program uses the port"),
    });
  });
});

describe("output and names", () => {
  const ATTACK = `<img src=x onerror="document.title='owned';alert(1)"><script>alert(2)</script>`;

  test("are never run as HTML: title, name, command, directory, output, project", async () => {
    const directory = join(visit.bench.root, `<svg onload=alert(3)>`);
    await Bun.write(join(directory, "x"), "");
    const script = `printf '\\033]0;%s\\007%s\\n' "$1" "$1"; printf '\\033]52;c;b3duZWQ=\\007\\033]8;;javascript:alert(4)\\007link\\033]8;;\\007'; exec cat`;
    const { session_id } = await visit.call<{ session_id: string }>("session.start", {
      argv: ["sh", "-c", script, "sh", ATTACK],
      cwd: directory,
      name: "<b onmouseover=alert(5)>",
      project_id: ATTACK,
      pty: { cols: 200, rows: 20 },
    });
    expect(existsSync(directory)).toBe(true);
    await using tab = await visit.home();
    await tab.page.locator(`.row[data-id="${session_id}"]`).click();
    await tab.shows("onerror");
    await tab.page.locator(".bar .command", { hasText: "onerror" }).waitFor();
    await tab.page.getByRole("button", { name: "Details" }).click();
    await tab.page.locator("dialog dd", { hasText: "<svg onload" }).waitFor();
    await tab.page.keyboard.press("Escape");
    await tab.page.keyboard.press("Control+k");
    await tab.page.getByRole("combobox").fill("onmouseover");
    await tab.page.getByRole("option").first().waitFor();
    await tab.page.keyboard.press("Escape");
    const link = await tab.page.locator(".terminal").getByText("link").first().boundingBox();
    if (link === null) throw new Error("there is no link");
    await tab.page.keyboard.down("Control");
    await tab.page.mouse.click(link.x + 5, link.y + 5);
    await tab.page.keyboard.up("Control");
    expect(tab.page.context().pages()).toHaveLength(1);
    expect(
      await tab.page.evaluate<number>(
        `document.querySelectorAll("img, .rail b, .bar b, dialog b, svg[onload]").length`,
      ),
    ).toBe(0);
    expect(await tab.page.title()).toContain("<b onmouseover");
  });
});
