/** What `health.info` says. Asked thousands of times a second it says the same: then it is the same object, of which the text is known, too. */
import { lasting } from "../protocol/lasting.ts";
import type { Result } from "../protocol/table.schema.ts";
import { VERSION } from "../protocol/version.ts";
import type { Counted } from "./census.ts";
import type { Household } from "./household.ts";
import { type Vouched, vouchFor } from "./vouched.ts";

const RUNTIME = `bun ${Bun.version}`;

type Changing = Pick<Result<"health.info">, "executable" | "uptime_s" | "holders" | "warm" | "clients">;

export class Health {
  #last: { sessions: Counted["sessions"]; changing: Changing; answer: Vouched<Result<"health.info">> } | null = null;

  told(household: Household, { sessions, holders, executable }: Counted, now: number): Vouched<Result<"health.info">> {
    const { clients, socket, startedAt, pool } = household;
    const uptime_s = Math.floor((now - startedAt) / 1000);
    const changing = { executable, uptime_s, holders, warm: pool.size, clients };
    const last = this.#last;
    // Each count has an object of its own.
    if (last !== null && last.sessions === sessions && isSame(last.changing, changing)) return last.answer;
    const about = { version: VERSION, runtime: RUNTIME, pid: process.pid, socket, executable, uptime_s };
    const counts = { sessions: { ...sessions }, holders, warm: changing.warm, clients };
    const answer = vouchFor(lasting({ ...about, ...counts }));
    this.#last = { sessions, changing, answer };
    return answer;
  }
}

function isSame(a: Changing, b: Changing): boolean {
  return (
    a.uptime_s === b.uptime_s &&
    a.holders === b.holders &&
    a.warm === b.warm &&
    a.clients === b.clients &&
    a.executable === b.executable
  );
}
