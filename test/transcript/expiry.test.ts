/**
 * A single `holt run` with the clock two days ahead removed 584 ended sessions: whatever a sweep found expired went at once. And what had ended while a clock without a
 * battery said 1970 was removed as soon as the clock was right. So a sweep marks first, and time counts from when a clock was noticed to be wrong.
 */
import { describe, expect, test } from "bun:test";
import {
  CONFIRM_MS,
  type EndTime,
  type Expiry,
  judgeExpiry,
  type ExpiryMark,
  type ClockReading,
} from "../../src/transcript/retention/expiry.ts";

const DAY = 24 * 3600_000;
const MINUTE = 60_000;
const WALL = Date.UTC(2026, 0, 10);
const UP = 20 * DAY;

/** By the wall, and by the uptime. */
const now = (wall = 0, uptime = wall, boot_id = "now"): ClockReading => ({
  wall: WALL + wall,
  boot_id,
  uptime_ms: UP + uptime,
});
const newBoot = (wall: number, uptime_ms: number): ClockReading => ({ wall: WALL + wall, boot_id: "next", uptime_ms });

/** So long ago by the wall, and by the uptime; null: in another boot. */
const ended = (wall: number, uptime: number | null = null): EndTime => ({
  at: WALL - wall,
  uptime: uptime === null ? null : { boot_id: "now", uptime_ms: UP - uptime },
  keptMs: DAY,
});
const marked = (expired: ClockReading | null, noticed: ClockReading | null = null): ExpiryMark => ({
  expired,
  noticed,
});

const CASES: [
  story: string,
  ended: EndTime,
  mark: ExpiryMark | null,
  now: ClockReading,
  expiry: Expiry,
  mark: ExpiryMark | null,
][] = [
  ["young", ended(DAY - 1), null, now(), "not_expired", null],
  ["old: marked first", ended(DAY), null, now(), "marked", marked(now())],
  ["a moment too early", ended(DAY), marked(now()), now(CONFIRM_MS - 1), "marked", marked(now())],
  ["ten minutes later", ended(DAY), marked(now()), now(CONFIRM_MS), "due", marked(now())],
  ["only the wall moved on", ended(DAY), marked(now()), now(2 * DAY, 0), "marked", marked(now())],
  ["only the uptime moved on", ended(DAY), marked(now()), now(0, CONFIRM_MS), "due", marked(now())],
  ["the clock was ahead for a moment", ended(MINUTE), marked(now(2 * DAY, 0)), now(MINUTE), "not_expired", null],
  [
    "marked in an earlier boot, this one is young",
    ended(DAY),
    marked(now()),
    newBoot(DAY, CONFIRM_MS - 1),
    "marked",
    marked(now()),
  ],
  [
    "marked in an earlier boot, this one is not",
    ended(DAY),
    marked(now()),
    newBoot(DAY, CONFIRM_MS),
    "due",
    marked(now()),
  ],
  ["the clock is ahead, and the uptime tells", ended(2 * DAY, MINUTE), null, now(), "not_expired", marked(null, now())],
  ["the clock is right again", ended(MINUTE, MINUTE), marked(null, now(2 * DAY, -1)), now(), "not_expired", null],
  ["a clock is adjusted all the time", ended(DAY, DAY - MINUTE), null, now(), "marked", marked(now())],
  ["ended in 1970, noticed in the same boot", ended(WALL, MINUTE), null, now(), "not_expired", marked(null, now())],
  [
    "so it is kept for its time from there",
    ended(WALL, MINUTE),
    marked(null, now()),
    now(DAY - 1),
    "not_expired",
    marked(null, now()),
  ],
  ["and is marked then", ended(WALL, MINUTE), marked(null, now()), now(DAY), "marked", marked(now(DAY), now())],
  [
    "and goes ten minutes later",
    ended(WALL, MINUTE),
    marked(now(DAY), now()),
    now(DAY + CONFIRM_MS),
    "due",
    marked(now(DAY), now()),
  ],
  [
    "also after a new start",
    ended(WALL, MINUTE),
    marked(null, now()),
    newBoot(DAY - 1, MINUTE),
    "not_expired",
    marked(null, now()),
  ],
  [
    "by the wall then",
    ended(WALL, MINUTE),
    marked(null, now()),
    newBoot(DAY, MINUTE),
    "marked",
    marked(newBoot(DAY, MINUTE), now()),
  ],
  ["ended in the future", ended(-10 * DAY), null, now(), "not_expired", marked(null, now())],
  [
    "which is kept for its time, not for ten days more",
    ended(-10 * DAY),
    marked(null, now()),
    now(DAY),
    "marked",
    marked(now(DAY), now()),
  ],
  [
    "the clock was back when that was noticed",
    ended(MINUTE),
    marked(null, now(-10 * DAY)),
    newBoot(0, MINUTE),
    "not_expired",
    marked(null, now(-10 * DAY)),
  ],
  [
    "noticed in a future that has not come",
    ended(-DAY),
    marked(null, now(9 * DAY)),
    newBoot(0, MINUTE),
    "not_expired",
    marked(null, newBoot(0, MINUTE)),
  ],
  ["kept for no time", { ...ended(0), keptMs: 0 }, null, now(), "marked", marked(now())],
];

describe("what a sweep makes of an ended session", () => {
  test.each(CASES)("%s", (_, ...[session, before, at, expiry, mark]) => {
    expect(judgeExpiry(session, before, at)).toEqual({ expiry, mark });
  });
});
