/** `holt share`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { formatAge } from "../../../protocol/types/duration.ts";
import { MAX_KEY_SECONDS } from "../../../protocol/wire/web.ts";
import { command } from "../../declarations/command.ts";
import { daemonForCall } from "./call.ts";
import { SHARE } from "../../declarations/machine/share.ts";
import { durationOf } from "../../options/durations.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";

const HOUR_MS = 3_600_000;
const BOUNDS = { leastMs: 1000, mostMs: MAX_KEY_SECONDS * 1000 };

export const main = command(SHARE, async ({ options, positionals: [reference = ""] }) => {
  const { session_id } = new LocalSessions().resolve(reference);
  const expiresMs = durationOf("expires", options.expires, BOUNDS) ?? HOUR_MS;
  const grantsMs = durationOf("for", options.for, BOUNDS) ?? 24 * HOUR_MS;
  const role = options.driver ? "driver" : "viewer";
  using client = await daemonForCall();
  await client.call("web.start", {});
  const ticket = await client.call("web.ticket", {
    session_id,
    role,
    expires_in_seconds: Math.ceil(expiresMs / 1000),
    grants_seconds: Math.ceil(grantsMs / 1000),
  });
  const style = stdoutStyle();
  if (options.json) writeJson({ session_id, role, ...ticket }, style);
  else writeOut(`${ticket.url}\n`);
  const may = role === "driver" ? "watch and type" : "watch";
  const revoke = `holt call token.revoke '{"token_id":"${ticket.token_id}"}'`;
  if (style.tty && !options.json)
    writeErr(
      `the first browser to open it may ${may}; the link expires in ${formatAge(expiresMs)}; \`${revoke}\` revokes it\n`,
    );
  return 0;
});
