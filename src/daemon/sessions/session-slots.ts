/**
 * How many sessions of each caller live. A slot is a holder's: it is taken before anybody is asked, so that two questions cannot pass together, and
 * given back when the holder has gone, so that a command that is started again and again has one for as long as that goes on.
 */
import { isSame } from "../../platform/process/processes.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { KeyedCounter } from "../calls/keyed-counter.ts";

export interface Slot {
  /** Those that the caller has beside it. */
  others: number;
  /** Once, however often it is called. */
  release: () => void;
}

export interface Inherited {
  caller: string;
  holder: ProcessIdentity;
}

export class SessionSlots {
  readonly #own = new KeyedCounter();
  readonly #find: () => Inherited[];
  #inherited: Inherited[] | null = null;

  /** `inherited`: what lives of the sessions that an earlier daemon started. They are looked for when it first matters. */
  constructor(inherited: () => Inherited[]) {
    this.#find = inherited;
  }

  /** `isCounted`: whether anybody asks how many there are. */
  take(key: string, isCounted: boolean): Slot {
    const { count, over } = this.#own.add(key);
    return { others: count - 1 + (isCounted ? this.#inheritedOf(key) : 0), release: over };
  }

  #inheritedOf(key: string): number {
    this.#inherited = (this.#inherited ?? this.#find()).filter(({ holder }) => isSame(holder));
    return this.#inherited.filter(({ caller }) => caller === key).length;
  }
}
