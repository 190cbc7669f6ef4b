/** As it was when we were started: a compiled executable looks the path up at its first use, when an upgrade may have deleted or renamed it. */
export const OWN_PATH = process.execPath;

/** How to start this program again. In the compiled executable the path is all; under `bun src/main.ts` the script comes second. */
export function ownCommand(): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:\\~BUN");
  return compiled ? [OWN_PATH] : [OWN_PATH, Bun.main];
}
