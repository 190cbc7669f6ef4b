/**
 * A private HTML file that redirects a browser to a login address. The address itself would be
 * visible to all users in the browser's arguments (/proc/PID/cmdline), and its ticket is valid for
 * the first user of it. The file is removed after the ticket has expired.
 */
import { PrivateFile } from "../../platform/fs/private-file.ts";
import { readdirSync, unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import { entryStat } from "../../platform/fs/stat.ts";
import { TICKET_SECONDS } from "../../protocol/wire/web.ts";
import type { Layout } from "../../transcript/layout.ts";

const NAME = /^door-[0-9a-f]{12}\.html$/;
const VALID_MS = TICKET_SECONDS * 1000;

/** Returns the path. Also removes expired files. */
export function createLoginFile({ run }: Layout, url: string): string {
  sweepLoginFiles({ run });
  const name = `door-${crypto.getRandomValues(new Uint8Array(6)).toHex()}.html`;
  new PrivateFile(run, name).write(redirectPage(url));
  return `${run}/${name}`;
}

export function sweepLoginFiles({ run }: Pick<Layout, "run">): void {
  const oldest = Date.now() - VALID_MS;
  for (const name of readdirSync(run)) {
    if (!NAME.test(name)) continue;
    const createdMs = entryStat(`${run}/${name}`)?.mtimeMs ?? 0;
    if (createdMs < oldest) unlinkIfThere(`${run}/${name}`);
  }
}

function redirectPage(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>holt</title>
<p><a href="${address}">holt</a></p>
`;
}
