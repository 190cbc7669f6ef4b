/**
 * Groups the list: sessions that wait for input first, then running ones, then ended ones; projects
 * before sessions without one. A project with a running session counts as running.
 */
import { type Activity, commandOf, isLive, type Session } from "../state/app.ts";

export interface Group {
  title: string;
  sessions: Session[];
}

export function groupSessions(
  all: Iterable<Session>,
  activities: ReadonlyMap<string, Activity>,
  { filter, hidden }: { filter: string; hidden: ReadonlySet<string> },
): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const visible = [...all].filter(
    (session) =>
      session.next_session_id === null && !hidden.has(session.session_id) && words.every((word) => textOf(session).includes(word)),
  );
  const isWaiting = ({ session_id }: Session): boolean => needsInput(activities.get(session_id));
  const waiting = visible.filter((session) => isLive(session) && isWaiting(session));
  const others = visible.filter((session) => !waiting.includes(session));
  const projects = [...Map.groupBy(others.filter(hasProject), ({ project_id }) => project_id ?? "")]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([title, own]) => ({ title, sessions: liveFirst(own) }));
  const runs = ({ sessions }: Group): boolean => sessions.some(isLive);
  const loose = others.filter((session) => !hasProject(session));
  return [
    { title: "Waiting for you", sessions: waiting.toSorted(byAge) },
    ...projects.filter(runs),
    { title: "Running", sessions: loose.filter(isLive).toSorted(byAge) },
    ...projects.filter((project) => !runs(project)),
    { title: "Ended", sessions: loose.filter((session) => !isLive(session)).toSorted(byAge) },
  ].filter(({ sessions }) => sessions.length > 0);
}

/** Whether a program waits for the user; a shell at its prompt does not count. */
export function needsInput(activity: Activity | undefined): boolean {
  return activity?.waiting === "reading" || activity?.waiting === "echo_off";
}

/** The order of the j and k keys. */
export function sessionsInOrder(groups: readonly Group[]): Session[] {
  return groups.flatMap(({ sessions }) => sessions);
}

function hasProject({ project_id }: Session): boolean {
  return project_id !== null && project_id !== "";
}

function liveFirst(all: readonly Session[]): Session[] {
  return all.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a)) || byAge(a, b));
}

function byAge(a: Session, b: Session): number {
  return b.created_at.localeCompare(a.created_at);
}

function textOf({ name, argv, session_id, cwd, project_id }: Session): string {
  return `${name ?? ""} ${commandOf(argv)} ${session_id} ${cwd} ${project_id ?? ""}`.toLowerCase();
}
