import type { Id } from "./messages.ts";

/** Who asks: given up when the signal fires; told of what it has subscribed to. */
export interface Asking {
  readonly signal: AbortSignal;
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
  #controller: AbortController | null = null;
  #isGivenUp = false;

  constructor(id: Id, listener: Listener) {
    this.id = id;
    this.listener = listener;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isGivenUp) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isGivenUp = true;
    this.#controller?.abort();
  }
}
