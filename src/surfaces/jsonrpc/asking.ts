import type { Id } from "./messages.ts";

/** Who asks: given up when the signal fires; told of what it has subscribed to. */
export interface Asking {
  readonly signal: AbortSignal;
  /** The caller's own id for the call; null: it has none. */
  readonly correlationId: string | null;
  readonly isGivenUp: boolean;
  /** The same without a signal: told once, and at once where it is so already. Returns how to forget it. */
  onceGivenUp(told: () => void): () => void;
  readonly listener: Listener;
}

/** The other side of a connection, as whoever has news for it sees it. */
export interface Listener {
  /** Fires when nobody is there any more. */
  readonly gone: AbortSignal;
  /** Resolves when there is room for more news; at once where the other side reads as fast as it is told. */
  tell(method: string, params: object): Promise<void>;
}

/** A call of a connection. Its signal is made when somebody looks at it: most calls have ended before anybody could give them up. */
export class UnderWay implements Asking {
  readonly id: Id;
  readonly listener: Listener;
  readonly correlationId: string | null;
  #controller: AbortController | null = null;
  #isGivenUp = false;
  #told: Set<() => void> | null = null;

  constructor(id: Id, correlationId: string | null, listener: Listener) {
    this.id = id;
    this.correlationId = correlationId;
    this.listener = listener;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isGivenUp) this.#controller.abort();
    return this.#controller.signal;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  onceGivenUp(told: () => void): () => void {
    if (this.#isGivenUp) told();
    else (this.#told ??= new Set()).add(told);
    return () => void this.#told?.delete(told);
  }

  abort(): void {
    this.#isGivenUp = true;
    this.#controller?.abort();
    const all = this.#told ?? [];
    this.#told = null;
    for (const told of all) told();
  }
}

/** Who waits for one answer while the signal has not fired, and can be told nothing later. */
export function askingOnce(signal: AbortSignal, correlationId: string | null): Asking {
  return {
    signal,
    correlationId,
    listener: { gone: signal, async tell() {} },
    get isGivenUp() {
      return signal.aborted;
    },
    onceGivenUp(told) {
      if (signal.aborted) told();
      else signal.addEventListener("abort", told, { once: true });
      return () => signal.removeEventListener("abort", told);
    },
  };
}
