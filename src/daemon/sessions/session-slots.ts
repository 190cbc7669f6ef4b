/**
 * Counts the running sessions of each caller. A slot belongs to a holder: it is taken before
 * approval, so that two requests cannot pass together, and freed when the holder has gone, so a
 * restarting session keeps one slot.
 */
import { isSame } from "../../platform/process/processes.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { KeyedCounter } from "../calls/keyed-counter.ts";

export interface Slot {
  /** The caller's other sessions. */
  others: number;
  /** Frees the slot; further calls do nothing. */
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

  /** `inherited`: finds running sessions of an earlier daemon; called on first use. */
  constructor(inherited: () => Inherited[]) {
    this.#find = inherited;
  }

  /** `isCounted`: whether a limit applies. */
  take(key: string, isCounted: boolean): Slot {
    const { count, release } = this.#own.add(key);
    return { others: count - 1 + (isCounted ? this.#inheritedOf(key) : 0), release };
  }

  #inheritedOf(key: string): number {
    this.#inherited = (this.#inherited ?? this.#find()).filter(({ holder }) => isSame(holder));
    return this.#inherited.filter(({ caller }) => caller === key).length;
  }
}
