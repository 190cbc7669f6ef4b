/** For what may fail without changing what is done next. */
export function orNull<T>(attempt: () => T): T | null {
  try {
    return attempt();
  } catch {
    return null;
  }
}
