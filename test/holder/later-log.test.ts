import { describe, expect, test } from "bun:test";
import { LaterLog } from "../../src/holder/later-log.ts";
import type { Log } from "../../src/platform/log.ts";

class Lines implements Log {
  readonly all: string[] = [];
  isClosed = false;

  write(level: string, message: string, fields: Record<string, unknown> = {}): void {
    this.all.push(`${level} ${message} ${String(fields["time"]).length} ${String(fields["n"])}`);
  }

  has(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.isClosed = true;
  }
}

describe("a log that nobody waits for", () => {
  test("is written when the loop turns, in order, as things were when they were said", async () => {
    const lines = new Lines();
    const log = new LaterLog(() => lines);
    const fields = { n: 1 };
    log.write("info", "a", fields);
    fields.n = 2;
    log.write("info", "b", fields);
    expect(lines.all).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.all).toEqual(["info a 24 1", "info b 24 2"]);
  });

  test("what is wrong is written at once, behind what was said before", () => {
    const lines = new Lines();
    const log = new LaterLog(() => lines);
    log.write("info", "a", { n: 1 });
    log.write("warn", "b", { n: 2 });
    expect(lines.all).toEqual(["info a 24 1", "warn b 24 2"]);
  });

  test("nothing is opened where nothing was said", () => {
    let opened = 0;
    const log = new LaterLog(() => {
      opened++;
      return new Lines();
    });
    log[Symbol.dispose]();
    expect(opened).toBe(0);
  });

  test("its end leaves nothing unsaid", () => {
    const lines = new Lines();
    const log = new LaterLog(() => lines);
    log.write("info", "a");
    log[Symbol.dispose]();
    expect(lines).toMatchObject({ all: ["info a 24 undefined"], isClosed: true });
  });
});
