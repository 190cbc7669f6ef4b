/**
 * Converts between positions on the timeline (0 to 1), times and cursors. Within a bucket, output
 * is assumed to be even.
 */
import { BUCKETS, type Timeline } from "../state/timeline.ts";

export class TimelineScale {
  readonly from: number;
  readonly to: number;
  readonly end: number;
  readonly #line: Timeline;

  constructor(line: Timeline) {
    this.#line = line;
    this.from = Date.parse(line.starts_at);
    this.to = Math.max(Date.parse(line.ends_at), this.from + 1);
    this.end = Number(line.end);
  }

  /** From 0 to 1. */
  position(at: string): number {
    return this.positionAt(Date.parse(at));
  }

  positionAt(time: number): number {
    return Math.min(1, Math.max(0, (time - this.from) / (this.to - this.from)));
  }

  timeAt(position: number): number {
    return this.from + position * (this.to - this.from);
  }

  cursorAt(position: number): number {
    const { buckets } = this.#line;
    const index = buckets.findLastIndex(({ at }) => this.position(at) <= position);
    const bucket = buckets[index];
    if (bucket === undefined) return 0;
    const inside = Math.min(1, (position - this.position(bucket.at)) * BUCKETS);
    const [first, until] = this.#range(index);
    return Math.round(first + inside * (until - first));
  }

  positionOf(cursor: number): number {
    const { buckets } = this.#line;
    const index = buckets.findLastIndex((bucket) => Number(bucket.cursor) < cursor);
    const bucket = buckets[index];
    if (bucket === undefined) return 0;
    const [first, until] = this.#range(index);
    const inside = until > first ? (cursor - first) / (until - first) : 0;
    return Math.min(1, this.position(bucket.at) + inside / BUCKETS);
  }

  #range(index: number): [first: number, until: number] {
    const { buckets } = this.#line;
    const next = buckets[index + 1];
    return [Number(buckets[index]?.cursor ?? 0), next === undefined ? this.end : Number(next.cursor)];
  }
}
