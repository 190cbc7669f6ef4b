/**
 * What every call passes, whichever surface it came through: it is counted, looked at, and written down. What it then starts or acts on is
 * admission.ts's to allow.
 */
import type { Audit, Ended } from "./audit.ts";
import { callerKey } from "./caller.ts";
import type { CurrentSettings } from "./current-settings.ts";
import { inputBytesIn } from "./input-bytes.ts";
import type { Arrival, Passage, Passages } from "./passages.ts";
import { tooMuch } from "./refusal.ts";
import { Tally } from "./tally.ts";

export interface GateParts {
  settings: CurrentSettings;
  audit: Audit;
  passages: Passages;
}

export class Gate {
  readonly #settings: CurrentSettings;
  readonly #audit: Audit;
  readonly #passages: Passages;
  readonly #calls = new Tally();

  constructor({ settings, audit, passages }: GateParts) {
    this.#audit = audit;
    this.#settings = settings;
    this.#passages = passages;
  }

  /** A call, from its arrival to its answer. */
  async pass<T>(arrival: Arrival, call: (passage: Passage) => Promise<T>): Promise<T> {
    const passage = this.#passages.begin(arrival);
    const { count: underWay, over } = this.#calls.add(callerKey(passage.caller));
    const began = performance.now();
    const told = (outcome: Ended["outcome"]): void =>
      this.#audit.ended({ passage, durationMs: performance.now() - began, outcome });
    try {
      this.#check(passage, underWay);
      const result = await this.#passages.within(passage, () => call(passage));
      told({ result });
      return result;
    } catch (error) {
      told({ error });
      throw error;
    } finally {
      over();
    }
  }

  #check({ caller, params }: Passage, underWay: number): void {
    const settings = this.#settings.known;
    if (caller.kind === "person") return;
    const most = settings["policy.max_calls"];
    if (most !== null && underWay > most)
      throw tooMuch("policy.max_calls", `${underWay} calls of this caller are under way, at most ${most}`);
    const input = inputBytesIn(params);
    const limit = settings["policy.max_input_bytes"];
    if (input > limit) throw tooMuch("policy.max_input_bytes", `the input is ${input} bytes, at most ${limit}`);
  }
}
