/** Where `holt logs` puts what it reads: bytes, text or JSON, on stdout. */
import { isTerminal } from "../../../platform/tty/terminal-device.ts";
import type { FollowItem } from "../../../client/read/follow.ts";
import { ChannelText } from "../../../terminal/text/channel-text.ts";
import { writeErr, writeOut } from "../../output/output.ts";

export type DataItem = Extract<FollowItem, { type: "data" }>;
export type GapItem = Extract<FollowItem, { type: "gap" }>;

const NEWLINE = 0x0a;

export interface Sink {
  data(item: DataItem): void;
  gap(item: GapItem): void;
  /** Nothing came for a moment: a person who watches wants to see the prompt that has no line end. */
  pause(): void;
  end(): void;
}

/** `isSeen`: by a person, who reads both streams in one place. */
export function rawSink(isSeen: boolean): Sink {
  let last = NEWLINE;
  return {
    data({ bytes }) {
      writeOut(bytes);
      last = bytes.at(-1) ?? last;
    },
    gap(item) {
      if (isSeen && isTerminal(2) && last !== NEWLINE) writeErr("\n");
      sayGap(item);
      last = NEWLINE;
    },
    pause() {},
    end() {},
  };
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

export function textSink(): Sink {
  const text = new ChannelText();
  const write = (certain: string): void => {
    if (certain !== "") writeOut(certain);
  };
  return {
    data: ({ channel, bytes }) => write(text.push(channel, bytes)),
    gap(item) {
      write(text.cut());
      sayGap(item);
    },
    pause: () => write(text.flush()),
    end: () => write(text.end()),
  };
}

function sayGap({ from, to }: GapItem): void {
  writeErr(`holt: ${to - from} bytes from cursor ${from} on were not kept\n`);
}
