/** Runs a step whose failure does not change what follows. */
export function orNull<T>(attempt: () => T): T | null {
  try {
    return attempt();
  } catch {
    return null;
  }
}
