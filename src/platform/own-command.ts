/** How to start this program again. In the compiled executable the path is all; under `bun src/main.ts` the script comes second. */
export function ownCommand(): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:\\~BUN");
  return compiled ? [process.execPath] : [process.execPath, Bun.main];
}
