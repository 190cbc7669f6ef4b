/** What the whole page shares. */
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
/** The last quarter of an hour of each that lives, as far as this page has seen it. */
export const samples = signal<ReadonlyMap<string, readonly Sample[]>>(new Map());
/** The session that is shown. */
export const selectedId = signal<string | null>(null);
/** About to be removed, unless somebody takes that back. */
export const hidden = signal<ReadonlySet<string>>(new Set());
/** The moment of a session's past that is shown; null: now. */
export const moment = signal<{
  id: string;
  cursor: number;
  /** The time that somebody chose on the line, at which nothing may have been printed; without it, that at which the cursor was. */
  at?: number;
} | null>(null);
/** What the program in the terminal that is shown calls itself. */
export const title = signal("");
export const filter = signal("");
export const overlay = signal<"none" | "palette" | "keys" | "start" | "share" | "details" | "commands" | "rename" | "stop">("none");
export const isRailOpen = signal(true);

export const selected = computed(() => (selectedId.value === null ? null : (sessions.value.get(selectedId.value) ?? null)));
export const isOwner = computed(() => key.value?.scope.kind === "owner");
/** The daemon does not answer, and the page says so above everything. */
export const isAway = computed(() => {
  const line = rpc.value;
  return line !== null && line.lostAt.value !== null && (line.line.value === "offline" || line.line.value === "slow");
});
/** Whether what is typed may be sent. */
export const isDriver = computed(() => key.value !== null && (key.value.scope.kind === "owner" || key.value.scope.role === "driver"));

export function isLive({ state }: Session): boolean {
  return state === "running" || state === "starting";
}

/** Sessions whose size a small screen has a say in, because somebody there asked for it. */
export const fitted = signal<ReadonlySet<string>>(new Set());

export function fit(id: string, isFitted: boolean): void {
  const others = [...fitted.value].filter((each) => each !== id);
  fitted.value = new Set(isFitted ? [...others, id] : others);
}

/** One on which a person watches, and leaves the size to the others unless told otherwise. */
export function isSmall(): boolean {
  return isPhone() || matchMedia("(pointer: coarse)").matches;
}

/** There is room for the list or for a session; as in the style sheets. */
export function isPhone(): boolean {
  return matchMedia("(max-width: 700px), (max-height: 450px)").matches;
}

/** What its age in the list counts from: its end, once it has ended. */
export function sinceWhen({ ended_at, started_at, created_at }: Session): string {
  return ended_at ?? started_at ?? created_at;
}

export function titleOf({ name, argv }: Session): string {
  return name ?? commandOf(argv);
}

export function commandOf(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
