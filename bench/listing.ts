/** `holt ls` over many past sessions: from their directories, and from the cache. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMeta } from "../src/transcript/records.ts";
import { layoutAt, prepareLayout } from "../src/transcript/layout.ts";
import { SessionDir } from "../src/transcript/session-dir.ts";
import { finalOf, metaOf } from "../test/support/records.ts";
import { compare, timed } from "./measure.ts";
import { type Section, standings } from "./table.ts";

const SESSIONS = 10_000;

export async function listing(holt: string): Promise<Section[]> {
  const cwd = mkdtempSync(join(tmpdir(), "hb-"));
  const env = { HOLT_STATE_DIR: join(cwd, "state") };
  try {
    fill(env.HOLT_STATE_DIR);
    const forget = (): void =>
      ["", "-wal", "-shm"].forEach((s) => rmSync(`${env.HOLT_STATE_DIR}/holt.db${s}`, { force: true }));
    const results = await compare({
      "`ls -l sessions/`, all directories": () =>
        timed(["ls", "-l", join(env.HOLT_STATE_DIR, "sessions")], { cwd, env }),
      "`holt ls`, the cache is made": () => {
        forget();
        return timed([holt, "ls"], { cwd, env });
      },
      "`holt ls`": () => timed([holt, "ls"], { cwd, env }),
      "`holt ls --all -q`": () => timed([holt, "ls", "--all", "-q"], { cwd, env }),
    });
    return [standings(`A list of ${SESSIONS} past sessions`, "All but a few ended long ago.", results)];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function fill(root: string): void {
  const layout = layoutAt(root);
  prepareLayout(layout);
  for (let i = 0; i < SESSIONS; i++) {
    const id = `s${String(i).padStart(6, "0")}`;
    using dir = SessionDir.create(layout, id);
    dir.lock();
    const at = new Date(Date.now() - (SESSIONS - i) * 60_000).toISOString();
    writeMeta(dir, metaOf(id, { created_at: at, started_at: at }));
    dir.writeAtomic("final.json", JSON.stringify(finalOf(id, { ended_at: at })), { sync: false });
  }
}
