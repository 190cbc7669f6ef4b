/**
 * What every call passes, whichever surface it came through: it is counted, looked at, and written down. What it then starts or acts on is
 * admission.ts's to allow.
 */
import type { Audit, Ended } from "./audit.ts";
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

  /** A call, from its arrival to its answer, which is a promise where the call's is one. */
  pass(arrival: Arrival, call: (passage: Passage) => unknown): unknown {
    const passage = this.#passages.begin(arrival);
    const { count: underWay, over } = this.#calls.add(passage.caller.key);
    let result: unknown;
    try {
      this.#check(passage, underWay);
      result = this.#passages.within(passage, () => call(passage));
    } catch (error) {
      over();
      this.#told(passage, { error });
      throw error;
    }
    if (result instanceof Promise) return this.#settled(passage, result, over);
    over();
    this.#told(passage, { result });
    return result;
  }

  async #settled(passage: Passage, answer: Promise<unknown>, over: () => void): Promise<unknown> {
    try {
      const result = await answer;
      this.#told(passage, { result });
      return result;
    } catch (error) {
      this.#told(passage, { error });
      throw error;
    } finally {
      over();
    }
  }

  #told(passage: Passage, outcome: Ended["outcome"]): void {
    this.#audit.ended({ passage, durationMs: performance.now() - passage.began, outcome });
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
