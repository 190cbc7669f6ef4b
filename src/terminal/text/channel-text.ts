/** Merges the text of a session's channels into one stream. */
import type { Channel } from "../../protocol/types/session.ts";
import { TextView, type TextViewOptions } from "./text-view.ts";

/** Each channel has its own view: one channel does not continue another's sequence or line. */
export class ChannelText {
  readonly #views = new Map<Channel, TextView>();
  readonly #options: TextViewOptions;
  #unfinished: Channel | null = null;

  constructor(options: TextViewOptions = {}) {
    this.#options = options;
  }

  /** Text that is final. */
  push(channel: Channel, bytes: Uint8Array): string {
    const view = this.#views.get(channel) ?? new TextView(this.#options);
    this.#views.set(channel, view);
    return this.#joined(channel, view.push(bytes));
  }

  /** Also unfinished lines, as they are now. */
  flush(): string {
    return this.#each((view) => view.flush());
  }

  end(): string {
    return this.#each((view) => view.end());
  }

  /**
   * Ends the text at a gap, with the line ended: output after the gap continues neither a line nor
   * a sequence.
   */
  cut(): string {
    const rest = this.end();
    const isUnfinished = this.#unfinished !== null;
    this.#views.clear();
    this.#unfinished = null;
    return isUnfinished ? `${rest}\n` : rest;
  }

  #each(take: (view: TextView) => string): string {
    let text = "";
    for (const [channel, view] of this.#views) text += this.#joined(channel, take(view));
    return text;
  }

  #joined(channel: Channel, text: string): string {
    if (text === "") return "";
    const lead = this.#unfinished !== null && this.#unfinished !== channel ? "\n" : "";
    this.#unfinished = text.endsWith("\n") ? null : channel;
    return lead + text;
  }
}
