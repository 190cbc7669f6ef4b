/**
 * A call on its way, from its arrival to its answer. Which one a piece of work belongs to is carried along by the runtime (AsyncLocalStorage), not
 * by each function in between.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Decision } from "../policy/policy.ts";
import { CorrelationIds, correlationIdText } from "../protocol/correlation-id.ts";
import type { Asked, Shown } from "./approval-desk.ts";
import type { Caller } from "./caller.ts";

export interface Arrival {
  caller: Caller;
  /** As the table has it. */
  method: string;
  /** The other name under which it was called; null: its own. */
  alias: string | null;
  /** In the method's own names. */
  params: unknown;
  /** Its signal fires when nobody waits for the answer any more; it is made when it is asked for. */
  from: { readonly signal: AbortSignal; readonly correlationId: string | null };
}

/** With what becomes known of it on the way. */
export interface Passage extends Arrival {
  /** Its correlation id where the caller has none of its own, in two parts (callIdOf): most calls are written down without its text ever being made. */
  epoch: string;
  serial: number;
  began: number;
  /** Made when it is asked for: a start does not wait for what is written about it. */
  start: (() => Shown) | null;
  decision: Decision | null;
  approval: { approval_id: string; approval: Asked["outcome"] } | null;
}

/** The same in all that is written about it: audit, log and error. */
export function callIdOf({ from, epoch, serial }: Passage): string {
  return from.correlationId ?? correlationIdText(epoch, serial);
}

export class Passages {
  readonly #storage = new AsyncLocalStorage<Passage>();
  /** Also for what is refused before it is a call. */
  readonly ids = new CorrelationIds();

  begin({ caller, method, alias, params, from }: Arrival): Passage {
    const { epoch } = this.ids;
    const serial = this.ids.nextSerial();
    const began = performance.now();
    return { caller, method, alias, params, from, epoch, serial, began, start: null, decision: null, approval: null };
  }

  within<T>(passage: Passage, work: (passage: Passage) => T): T {
    return this.#storage.run(passage, work, passage);
  }

  /** The one at hand; null outside of any: the daemon's own doing. */
  get current(): Passage | null {
    return this.#storage.getStore() ?? null;
  }
}
