// Live output of sessions on pipes, and downloads of any session.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tab } from "./tab.ts";
import { Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

describe("on pipes", () => {
  async function shows(tab: Tab, text: string): Promise<void> {
    const shown = `document.querySelector("pre.output").textContent`;
    await tab.until(`${shown} === ${JSON.stringify(text)}`, () =>
      tab.page.evaluate<string>(`"shows " + JSON.stringify(${shown}.slice(-500))`),
    );
  }

  // A growing line comes whole each time, and was appended each time instead of replaced.
  test("a growing line is shown once, short or long, on two channels", async () => {
    const steps = [1, 2, 3, 4, 5].map((step) => join(visit.bench.root, `step-${step}`));
    const [one, two, three, four, five] = steps.map((file) => `while ! [ -e ${file} ]; do sleep 0.02; done`);
    const long = "x".repeat(300);
    const script = `printf 'progress: '; ${one}; printf '50%% '; ${two}; echo warned >&2; ${three}; echo done; printf ${long}; ${four}; printf ${long}; ${five}; echo end; cat`;
    await visit.start(["--name", "growing", "--no-pty"], ["sh", "-c", script]);
    await using tab = await visit.home();
    await tab.open("growing");
    const step = async (number: number, text: string): Promise<void> => {
      await Bun.write(steps[number - 1] ?? "", "");
      await shows(tab, text);
    };
    await shows(tab, "progress: \n");
    await step(1, "progress: 50% \n");
    await step(2, "progress: 50% \nwarned\n");
    await step(3, `warned\nprogress: 50% done\n${long}\n`);
    await step(4, `warned\nprogress: 50% done\n${long}${long}\n`);
    await step(5, `warned\nprogress: 50% done\n${long}${long}end\n`);
  });

  // Each page of 64 KB ended with a note on omitted text, in the middle of the output, and equal
  // lines were folded.
  test("output of many pages is shown unchanged, with a line longer than a page", async () => {
    const script = `seq 1 30000; echo same; echo same; echo same; head -c 200000 /dev/zero | tr '\\0' x; echo; echo end`;
    const id = await visit.start(["--name", "long", "--no-pty"], ["sh", "-c", script]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.open("long");
    await tab.until(`document.querySelector("pre.output").textContent.endsWith("end\\n")`);
    const numbers = Array.from({ length: 30_000 }, (_, at) => at + 1).join("\n");
    const text = await tab.page.evaluate<string>(`document.querySelector("pre.output").textContent`);
    expect(text === `${numbers}\nsame\nsame\nsame\n${"x".repeat(200_000)}\nend\n`).toBe(true);
  });
});

describe("a download", () => {
  // Text and recordings were fetched in one answer, which is refused over 1 MiB.
  test("contains the whole of a large session, raw, as text and as a recording", async () => {
    const id = await visit.start(["--name", "megabytes"], ["seq", "1", "650000"]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.open("megabytes");
    const saved = async (form: string): Promise<Buffer> => {
      await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
      const [file] = await Promise.all([
        tab.page.waitForEvent("download"),
        tab.page.getByRole("menuitem", { name: `Download ${form}` }).click(),
      ]);
      return readFileSync(await file.path());
    };
    const { stdout: raw } = await visit.bench.run(["logs", "--raw", id]);
    expect(raw.length).toBeGreaterThan(5_000_000);
    expect(Buffer.compare(await saved("raw"), raw)).toBe(0);
    const text = (await saved("text")).toString();
    expect(text === Buffer.from(raw).toString().replaceAll("\r\n", "\n")).toBe(true);
    const [head, ...events] = (await saved("asciicast"))
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as [number, string, string]);
    expect(head).toMatchObject({ version: 3, command: "seq 1 650000" });
    const printed = events.filter(([, code]) => code === "o").map(([, , data]) => data);
    expect(printed.join("") === Buffer.from(raw).toString()).toBe(true);
    expect(events.at(-1)?.slice(1)).toEqual(["x", "0"]);
  });
});
