/** A call that its handler works at: what the handler may know of it, how long it may take, and what its answer or its failure is. */
import type * as z from "zod";
import { withIdFor } from "../client/id-for-name.ts";
import { stateError } from "../client/state-error.ts";
import { HoltError } from "../protocol/errors.ts";
import type { AnyRow } from "../protocol/table.schema.ts";
import type { Asking, Listener } from "../surfaces/jsonrpc/asking.ts";
import type { CallContext, Household } from "./household.ts";
import { callIdOf, type Passage } from "./passages.ts";

export interface Called {
  household: Household;
  row: AnyRow;
  from: Asking;
  passage: Passage;
}

export class RunningCall implements CallContext {
  readonly household: Household;
  readonly passage: Passage;
  readonly #row: AnyRow;
  readonly #from: Asking;
  #deadline: CallDeadline | null = null;

  constructor({ household, row, from, passage }: Called) {
    this.household = household;
    this.passage = passage;
    this.#row = row;
    this.#from = from;
  }

  get listener(): Listener {
    return this.#from.listener;
  }

  get signal(): AbortSignal {
    return this.deadline.signal;
  }

  onceOver(told: () => void): void {
    this.deadline.onceOver(told);
  }

  /** A timer costs more than a small call: one that is answered at once has none. */
  get deadline(): CallDeadline {
    this.#deadline ??= new CallDeadline(this.#deadlineMs, this.#from);
    return this.#deadline;
  }

  /** With the time in which a person may be asked. */
  get #deadlineMs(): number {
    return this.#row.deadlineMs + this.household.asking.patienceMs(this.#row.effect);
  }

  /** What is sent: of the result, what the table says. */
  checked(result: unknown): unknown {
    return checkedResult(this.#row, result);
  }

  /** What is sent instead, and what the log is told. */
  failure(error: unknown): HoltError {
    const callId = callIdOf(this.passage);
    const known = this.#known(error);
    if (known.code === "EINTERNAL") {
      const stack = error instanceof Error ? (error.stack ?? null) : null;
      const { name: method } = this.#row;
      this.household.log.write("error", known.message, { method, correlation_id: callId, stack });
    }
    return known;
  }

  #known(error: unknown): HoltError {
    const { name } = this.#row;
    if (this.#from.isGivenUp) return new HoltError("ECANCELED", `${name} was canceled`);
    if (this.#deadline?.isOver === true)
      return new HoltError("ETIMEOUT", `${name} took longer than ${this.#deadlineMs} ms`);
    const known = stateError(error, "get at the sessions");
    if (known instanceof HoltError) return withIdFor(known, this.household.sessions);
    const message = error instanceof Error ? error.message : String(error);
    return new HoltError("EINTERNAL", `internal error: ${message}`, {
      hint: "this is a fault in holt, not in what you asked; log/holt.jsonl tells more",
      cause: error,
    });
  }
}

function checkedResult({ name, result: schema }: { name: string; result: z.ZodType }, result: unknown): unknown {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new HoltError("EINTERNAL", `${name} made a result that is none: ${issue?.path.join(".")} ${issue?.message}`);
}

/**
 * How long a call may take: until its time is up, or nobody waits for it any more. A signal is made for handlers that look at one: to make it, and to listen to it, takes longer than
 * a small call does.
 */
export class CallDeadline implements Disposable {
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #forget: () => void;
  #controller: AbortController | null = null;
  #told: (() => void)[] = [];
  #isOver = false;

  constructor(ms: number, from: Pick<Asking, "onceGivenUp">) {
    const over = (): void => this.#end();
    this.#timer = setTimeout(over, ms);
    this.#forget = from.onceGivenUp(over);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Told at once where it is. */
  onceOver(told: () => void): void {
    if (this.#isOver) told();
    else this.#told.push(told);
  }

  /** The call has been answered. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.#told = [];
  }

  #end(): void {
    this.#isOver = true;
    this.#controller?.abort();
    for (const told of this.#told.splice(0)) told();
  }
}
