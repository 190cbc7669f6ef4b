/** `holt attach`. */
import { attachTo } from "./attach-to.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import { command, type Main } from "../../declarations/command.ts";
import { ATTACH } from "../../declarations/sessions/attach.ts";
import { label } from "../../output/describe-session.ts";

/** Of several that could be meant. */
const MOST_SHOWN = 5;

/** What watches the terminal would keep the process for ever. */
export const main: Main = async (args) => process.exit(await attach(args));

const attach = command(ATTACH, ({ options, positionals: [reference] }) => {
  const sessions = new LocalSessions();
  if (options.since !== null && options.replay !== null)
    throw new HoltError("EBADARGS", "--since and --replay exclude each other", {
      hint: "each says what you see first",
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

/** Without a name, the one there is. */
function onlyOne(sessions: LocalSessions): Session {
  const running = sessions
    .list({ states: ["starting", "running"] })
    .filter(({ state, size, tty_attached }) => !isFinal(state) && size !== null && !tty_attached);
  const [only] = running;
  if (only !== undefined && running.length === 1) return only;
  if (only === undefined)
    throw new HoltError("ENOTFOUND", "no session runs that could be attached to", {
      hint: "`holt start -- COMMAND` starts one",
    });
  const shown = running.slice(0, MOST_SHOWN);
  const more = running.length - shown.length;
  throw new HoltError("EBADARGS", `${running.length} sessions run: say which`, {
    hint: `${shown.map(label).join(", ")}${more === 0 ? "" : ` and ${more} more: \`holt ls\``}`,
  });
}
