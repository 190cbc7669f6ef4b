/** Where those wait who are to show a key in their first message. It has few places: who has none to show cannot use up the sockets of the others. */
const PLACES = 64;
export const NO_PLACE: Disposable = { [Symbol.dispose]() {} };

export class Lobby {
  #taken = 0;

  /** Null when it is full. */
  enter(): Disposable | null {
    if (this.#taken >= PLACES) return null;
    this.#taken++;
    let isIn = true;
    return {
      [Symbol.dispose]: () => {
        if (isIn) this.#taken--;
        isIn = false;
      },
    };
  }
}
