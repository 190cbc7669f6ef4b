/** Where `holt logs` puts what it reads: bytes, text or JSON, on stdout. */
import type { FollowItem } from "../client/follow.ts";
import type { Channel } from "../protocol/session.ts";
import { TextView } from "../terminal/text.ts";
import { writeErr, writeOut } from "./output.ts";

export type DataItem = Extract<FollowItem, { type: "data" }>;
export type GapItem = Extract<FollowItem, { type: "gap" }>;

export interface Sink {
  data(item: DataItem): void;
  gap(item: GapItem): void;
  /** Nothing came for a moment: a person who watches wants to see the prompt that has no line end. */
  pause(): void;
  end(): void;
}

export function rawSink(): Sink {
  return { data: ({ bytes }) => writeOut(bytes), gap: sayGap, pause() {}, end() {} };
}

export function jsonSink(): Sink {
  return {
    data({ cursor, channel, timestamp, bytes }) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
      const chunk = { cursor: String(cursor), channel, timestamp: new Date(timestamp).toISOString(), data };
      writeOut(`${JSON.stringify(chunk)}\n`);
    },
    gap: ({ from, to }) => writeErr(`${JSON.stringify({ gap: { from: String(from), to: String(to) } })}\n`),
    pause() {},
    end() {},
  };
}

/** Each channel has a view of its own: a sequence or a line that one began is not continued by the other. */
export function textSink(): Sink {
  const views = new Map<Channel, TextView>();
  let unfinished: Channel | null = null;

  const write = (channel: Channel, text: string): void => {
    if (text === "") return;
    writeOut(unfinished !== null && unfinished !== channel ? `\n${text}` : text);
    unfinished = text.endsWith("\n") ? null : channel;
  };
  const each = (take: (view: TextView) => string): void => {
    for (const [channel, view] of views) write(channel, take(view));
  };
  return {
    data({ channel, bytes }) {
      const view = views.get(channel) ?? new TextView();
      views.set(channel, view);
      write(channel, view.push(bytes));
    },
    gap: sayGap,
    pause: () => each((view) => view.flush()),
    end: () => each((view) => view.end()),
  };
}

function sayGap({ from, to }: GapItem): void {
  writeErr(`holt: ${to - from} bytes from cursor ${from} on were not kept\n`);
}
