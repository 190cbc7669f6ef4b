/** The text of a session whose output may have several channels, in one column. */
import type { Channel } from "../../protocol/types/session.ts";
import { TextView, type TextViewOptions } from "./text-view.ts";

/** Each channel has a view of its own: a sequence or a line that one began is not continued by the other. */
export class ChannelText {
  readonly #views = new Map<Channel, TextView>();
  readonly #options: TextViewOptions;
  #unfinished: Channel | null = null;

  constructor(options: TextViewOptions = {}) {
    this.#options = options;
  }

  /** What is now certain. */
  push(channel: Channel, bytes: Uint8Array): string {
    const view = this.#views.get(channel) ?? new TextView(this.#options);
    this.#views.set(channel, view);
    return this.#joined(channel, view.push(bytes));
  }

  /** Unfinished lines too, as they stand. */
  flush(): string {
    return this.#each((view) => view.flush());
  }

  end(): string {
    return this.#each((view) => view.end());
  }

  /** The rest where bytes are missing, with the line ended: what comes after them continues neither that nor a sequence. */
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
