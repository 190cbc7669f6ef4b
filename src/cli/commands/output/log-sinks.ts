/** Print the output that `holt logs` reads, as bytes, text or JSON. */
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
  /** No output for a moment: prints an incomplete line, such as a prompt. */
  pause(): void;
  end(): void;
}

/** `isTty`: stdout is a terminal, which may show stderr too. */
export function rawSink(isTty: boolean): Sink {
  let last = NEWLINE;
  return {
    data({ bytes }) {
      writeOut(bytes);
      last = bytes.at(-1) ?? last;
    },
    gap(item) {
      if (isTty && isTerminal(2) && last !== NEWLINE) writeErr("\n");
      reportGap(item);
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
      reportGap(item);
    },
    pause: () => write(text.flush()),
    end: () => write(text.end()),
  };
}

function reportGap({ from, to }: GapItem): void {
  writeErr(`holt: ${to - from} bytes from cursor ${from} on were not kept\n`);
}
