/** The flags of kitty's keyboard protocol: a stack of them for each of the two screens. */
const MAX_DEPTH = 16;
const ALL_FLAGS = 0b11111;
const COMBINE: Readonly<Record<number, (old: number, flags: number) => number>> = {
  1: (_, flags) => flags,
  2: (old, flags) => old | flags,
  3: (old, flags) => old & ~flags,
};

export class KeyboardStack {
  #main: number[] = [];
  #alternate: number[] = [];

  flags(alternate: boolean): number {
    return this.#of(alternate).at(-1) ?? 0;
  }

  push(alternate: boolean, flags: number): void {
    const stack = this.#of(alternate);
    stack.push(flags & ALL_FLAGS);
    // The oldest is forgotten, as kitty does.
    if (stack.length > MAX_DEPTH) stack.shift();
  }

  pop(alternate: boolean, count: number): void {
    const stack = this.#of(alternate);
    stack.length = Math.max(0, stack.length - Math.max(1, count));
  }

  set(alternate: boolean, flags: number, how: number): void {
    const stack = this.#of(alternate);
    const next = COMBINE[how === 0 ? 1 : how]?.(this.flags(alternate), flags & ALL_FLAGS);
    if (next !== undefined) stack[Math.max(0, stack.length - 1)] = next;
  }

  reset(): void {
    this.#main = [];
    this.#alternate = [];
  }

  #of(alternate: boolean): number[] {
    return alternate ? this.#alternate : this.#main;
  }
}
