/** One line of index.jsonl (index-file.ts). */
import type { Channel } from "../protocol/types/session.ts";

export interface IndexRecord {
  offset: number;
  length: number;
  channel: Channel;
  timestamp: string;
}

/** The line, newline included. */
export function encodeIndexRecord({ offset, length, channel, timestamp }: IndexRecord): string {
  return `{"offset":${offset},"length":${length},"channel":"${channel}","timestamp":"${timestamp}"}\n`;
}

export function endOf({ offset, length }: IndexRecord): number {
  return offset + length;
}
