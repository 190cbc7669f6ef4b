/** `holt completions`. */
import { callOnce } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { bashScript } from "../../completion/bash.ts";
import { fishScript } from "../../completion/fish.ts";
import { zshScript } from "../../completion/zsh.ts";
import { COMPLETIONS } from "../../declarations/machine/completions.ts";
import { commandLine, describeState, nameOf } from "../../output/describe-session.ts";
import { writeOut } from "../../output/output.ts";

const SCRIPTS: Record<string, () => string> = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const main = command(COMPLETIONS, async ({ options, positionals: [shell] }) => {
  if (options.clients !== null) {
    writeOut(await clientsAmong(options.clients.split(" ")));
    return 0;
  }
  if (options.sessions) {
    writeOut(candidates(options.living));
    return 0;
  }
  const script = SCRIPTS[shell ?? ""];
  if (script === undefined)
    throw new HoltError("EBADARGS", "missing argument: SHELL", { hint: "use bash, zsh or fish" });
  writeOut(script());
  return 0;
});

/** Ignores words that name no session, and sessions whose holder does not answer. */
async function clientsAmong(words: readonly string[]): Promise<string> {
  const sessions = new LocalSessions();
  const lines = await Promise.all(
    words.map(async (word) => {
      try {
        const { clients } = await callOnce(sessions.resolve(word), "clients", {});
        return clients.map(
          ({ client_id, role, pid, label }) => `${client_id}\t${role}, pid ${pid} ${oneLine(label)}\n`,
        );
      } catch {
        return [];
      }
    }),
  );
  return lines.flat().join("");
}

/** Names first, then ids. Reads only the session records. */
function candidates(living: boolean): string {
  const sessions = new LocalSessions().list().filter(({ state }) => !living || !isFinal(state));
  const about = (session: (typeof sessions)[number]): string =>
    `${describeState(session).words}: ${commandLine(session.argv)}`;
  const named = sessions.filter((session) => /^[\w.@%+=:,/-]+$/.test(nameOf(session)));
  // Newest first, so that a name shows the session that it resolves to.
  const once = named.filter((session, at) => named.findIndex(({ name }) => name === session.name) === at);
  return [
    ...once.map((session) => `${nameOf(session)}\t${about(session)}\n`),
    ...sessions.map((session) => `${session.session_id}\t${about(session)}\n`),
  ].join("");
}
