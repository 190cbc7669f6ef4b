const ALL = 0b11111;
/** With the flags of now 16: past them the oldest is forgotten, as kitty does. */
const MAX_PUSHED = 15;

/** The flags of the kitty keyboard protocol, and those they were pushed over. Each screen has its own. */
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

  /** 1 sets them all, 2 adds, 3 takes away. */
  set(flags: number, how: number): void {
    const given = flags & ALL;
    if (how === 1) this.flags = given;
    else if (how === 2) this.flags |= given;
    else if (how === 3) this.flags &= ~given;
  }

  get isDefault(): boolean {
    return this.flags === 0 && this.pushed.length === 0;
  }

  /** The sequences that make them, from none. */
  sequences(): string {
    if (this.isDefault) return "";
    return [...this.pushed, this.flags]
      .map((flags, index) => (index === 0 ? `\x1b[=${flags};1u` : `\x1b[>${flags}u`))
      .join("");
  }
}
