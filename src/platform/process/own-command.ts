/** The command that starts this program again. */

/**
 * Read at start: a compiled executable resolves the path at its first use, when an upgrade may have
 * deleted or renamed the file.
 */
export const OWN_PATH = process.execPath;

/** The compiled executable needs only its path; under `bun src/main.ts` the script comes second. */
export function ownCommand(): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:\\~BUN");
  return compiled ? [OWN_PATH] : [OWN_PATH, Bun.main];
}
