/** Tracks the flags of the kitty keyboard protocol. */
const ALL = 0b11111;
/** 16 with the current flags: beyond that the oldest is dropped, as in kitty. */
const MAX_PUSHED = 15;

/** The current flags and the stack of pushed ones. Each screen has its own. */
export class KeyboardFlags {
  flags = 0;
  readonly pushed: number[] = [];

  push(flags: number): void {
    this.pushed.push(this.flags);
    if (this.pushed.length > MAX_PUSHED) this.pushed.shift();
    this.flags = flags & ALL;
  }

  pop(count: number): void {
    for (let left = Math.min(count, MAX_PUSHED + 1); left > 0; left--) this.flags = this.pushed.pop() ?? 0;
  }

  /** `how`: 1 replaces, 2 adds, 3 removes. */
  set(flags: number, how: number): void {
    const given = flags & ALL;
    if (how === 1) this.flags = given;
    else if (how === 2) this.flags |= given;
    else if (how === 3) this.flags &= ~given;
  }

  get isDefault(): boolean {
    return this.flags === 0 && this.pushed.length === 0;
  }

  /** Sequences that restore the flags from none. */
  sequences(): string {
    if (this.isDefault) return "";
    return [...this.pushed, this.flags]
      .map((flags, index) => (index === 0 ? `\x1b[=${flags};1u` : `\x1b[>${flags}u`))
      .join("");
  }
}
