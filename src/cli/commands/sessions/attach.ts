/** `holt attach`. */
import { attachTo } from "./attach-to.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import { command, type Main } from "../../declarations/command.ts";
import { ATTACH } from "../../declarations/sessions/attach.ts";
import { label } from "../../output/describe-session.ts";

/** Candidates named in the error. */
const MOST_SHOWN = 5;

/** Exits explicitly: the terminal watcher would keep the process running. */
export const main: Main = async (args) => process.exit(await attach(args));

const attach = command(ATTACH, ({ options, positionals: [reference] }) => {
  const sessions = new LocalSessions();
  if (options.since !== null && options.replay !== null)
    throw new HoltError("EBADARGS", "--since and --replay cannot be used together", {
      hint: "both select what is shown first",
    });
  const session = reference === undefined ? onlyOne(sessions) : sessions.resolve(reference);
  return attachTo(sessions, session, {
    role: options["read-only"] ? "viewer" : "driver",
    takesPart: options.size === null ? !options["read-only"] : options.size === "take-part",
    replay: options.replay ?? (options.since === null ? "screen" : "none"),
    since: options.since,
    replaces: options["detach-others"],
    takeover: options.takeover,
    detachKeys: options["detach-keys"],
    scrollbackBytes: options["scrollback-bytes"],
    allowClipboard: options["allow-clipboard"],
    exitCode: options["exit-code"],
  });
});

/** The only running session that has a terminal of its own. */
function onlyOne(sessions: LocalSessions): Session {
  const running = sessions
    .list({ states: ["starting", "running"] })
    .filter(({ state, size, tty_attached }) => !isFinal(state) && size !== null && !tty_attached);
  const [only] = running;
  if (only !== undefined && running.length === 1) return only;
  if (only === undefined)
    throw new HoltError("ENOTFOUND", "no running session to attach to", {
      hint: "start one with `holt start -- COMMAND`",
    });
  const shown = running.slice(0, MOST_SHOWN);
  const more = running.length - shown.length;
  throw new HoltError("EBADARGS", `${running.length} sessions are running: name one`, {
    hint: `${shown.map(label).join(", ")}${more === 0 ? "" : ` and ${more} more: \`holt ls\``}`,
  });
}
