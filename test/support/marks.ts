/** What sweeps remember of expired sessions, as if they had marked them longer ago. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "../../src/transcript/layout.ts";
import { CONFIRM_MS } from "../../src/transcript/retention/expiry.ts";

interface Line {
  session_id: string;
  noticed: unknown;
  expired: { uptime_ms: number } | null;
}

export function readMarks({ root }: Pick<Layout, "root">): Line[] {
  const lines = readFileSync(join(root, "log", "expiring"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Line);
}

/** By the ten minutes of uptime after which a mark counts. */
export function ageMarks(layout: Pick<Layout, "root">): void {
  const lines = readMarks(layout).map(({ expired, ...line }) =>
    JSON.stringify({
      ...line,
      expired: expired === null ? null : { ...expired, uptime_ms: expired.uptime_ms - CONFIRM_MS },
    }),
  );
  writeFileSync(join(layout.root, "log", "expiring"), lines.map((line) => `${line}\n`).join(""));
}
