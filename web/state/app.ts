/** State shared by the whole page. */
import { computed, signal } from "@preact/signals";
import type { Key, Problem } from "../api/key.ts";
import type { Result, Rpc } from "../api/rpc.ts";

export type Session = Result<"session.list">["sessions"][number];
export type Activity = Result<"session.activity">["sessions"][number];

export interface Sample {
  cpu: number;
  memory: number;
}

export const key = signal<Key | null>(null);
/** Why there is no key. */
export const problem = signal<Problem>("no-key");
export const rpc = signal<Rpc | null>(null);
export const sessions = signal<ReadonlyMap<string, Session>>(new Map());
export const isLoaded = signal(false);
export const activities = signal<ReadonlyMap<string, Activity>>(new Map());
/** Samples of live sessions, at most the last quarter of an hour. */
export const samples = signal<ReadonlyMap<string, readonly Sample[]>>(new Map());
/** The shown session. */
export const selectedId = signal<string | null>(null);
/** Sessions about to be removed, unless the user undoes it. */
export const hidden = signal<ReadonlySet<string>>(new Set());
/** The shown moment of a session's past; null: live. */
export const moment = signal<{
  id: string;
  cursor: number;
  /**
   * The time chosen on the timeline, which may have no output; without it, the time of the cursor.
   */
  at?: number;
} | null>(null);
/** The title set by the program in the shown terminal. */
export const title = signal("");
export const filter = signal("");
export const overlay = signal<"none" | "palette" | "keys" | "start" | "share" | "details" | "commands" | "rename" | "stop">("none");
export const isRailOpen = signal(true);

export const selected = computed(() => (selectedId.value === null ? null : (sessions.value.get(selectedId.value) ?? null)));
export const isOwner = computed(() => key.value?.scope.kind === "owner");
/** Whether the daemon does not answer; the page then shows a banner. */
export const isUnreachable = computed(() => {
  const connection = rpc.value;
  return connection !== null && connection.lostAt.value !== null && (connection.status.value === "offline" || connection.status.value === "slow");
});
/** Whether this key may send input. */
export const isDriver = computed(() => key.value !== null && (key.value.scope.kind === "owner" || key.value.scope.role === "driver"));

export function isLive({ state }: Session): boolean {
  return state === "running" || state === "starting";
}

/** Sessions that the user fitted to this small screen. */
export const fittedIds = signal<ReadonlySet<string>>(new Set());

export function fit(id: string, isFitted: boolean): void {
  const others = [...fittedIds.value].filter((each) => each !== id);
  fittedIds.value = new Set(isFitted ? [...others, id] : others);
}

/**
 * Whether the screen is small: it leaves the size to other clients unless the user chooses
 * otherwise.
 */
export function isSmallScreen(): boolean {
  return isPhone() || matchMedia("(pointer: coarse)").matches;
}

/** Room for the list or a session, not both; the style sheets have the same query. */
export function isPhone(): boolean {
  return matchMedia("(max-width: 700px), (max-height: 450px)").matches;
}

/** Start of the age in the list: its end, if it has ended. */
export function sinceWhen({ ended_at, started_at, created_at }: Session): string {
  return ended_at ?? started_at ?? created_at;
}

export function titleOf({ name, argv }: Session): string {
  return name ?? commandOf(argv);
}

export function commandOf(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
