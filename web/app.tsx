/** The page: the list, the selected session, and what lies over them. */
import { Rail } from "./list/rail.tsx";
import { Commands } from "./parts/commands.tsx";
import { Details } from "./parts/details.tsx";
import { Keys } from "./parts/keys.tsx";
import { Palette } from "./parts/palette.tsx";
import { RenameForm } from "./parts/rename-form.tsx";
import { ShareForm } from "./parts/share-form.tsx";
import { StartForm } from "./parts/start-form.tsx";
import { StopForm } from "./parts/stop-form.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { SessionView } from "./session/session-view.tsx";
import type { Problem } from "./api/key.ts";
import { Logo } from "./parts/logo.tsx";
import { isUnreachable, isDriver, isLive, isLoaded, isOwner, isRailOpen, key, overlay, problem, rpc, selected, selectedId } from "./state/app.ts";
import { age, now } from "./state/time.ts";

export function App() {
  if (key.value === null || rpc.value?.status.value === "refused") return <SignedOut />;
  const isShown = selectedId.value !== null;
  return (
    <div class={`app ${isShown ? "shown" : ""} ${isRailOpen.value ? "" : "closed"}`}>
      <Offline />
      {key.value.scope.kind === "owner" ? <Rail /> : null}
      {selected.value === null ? <Nothing isMissing={isShown && isLoaded.value} /> : <SessionView key={selected.value.session_id} session={selected.value} />}
      <Overlay />
      <Toasts />
    </div>
  );
}

function Overlay() {
  const session = selected.value;
  switch (overlay.value) {
    case "palette":
      return <Palette />;
    case "keys":
      return <Keys />;
    case "start":
      return <StartForm />;
    case "share":
      return session && <ShareForm session={session} />;
    case "details":
      return session && <Details session={session} />;
    case "commands":
      return session && <Commands session={session} />;
    case "rename":
      return session && <RenameForm session={session} />;
    case "stop":
      return session && <StopForm session={session} />;
    default:
      return null;
  }
}

/** A restarted daemon has answered by then. */
const AWAY_MS = 5000;

function Offline() {
  const status = rpc.value?.status.value;
  const lostAt = rpc.value?.lostAt.value ?? null;
  if (!isUnreachable.value || lostAt === null) return null;
  const since = age(now.value - lostAt);
  const isLong = status === "offline" && now.value - lostAt > AWAY_MS;
  const isTyped = selected.value !== null && isLive(selected.value) && isDriver.value;
  return (
    <div class="offline" role="alert">
      <span>
        {status === "slow"
          ? `No answer for ${since}: the network is slow, or holt is busy. Sessions keep running.`
          : `Offline for ${since}. Sessions keep running, and their output is recorded.`}
        {status === "offline" && isTyped ? " What you type now is not sent." : ""}
        {isLong ? (
          <>
            {" "}
            If the daemon has ended, <code>holt web</code> in a terminal starts it.
          </>
        ) : null}
      </span>
      {status === "slow" ? null : (
        <button type="button" class="quiet" onClick={() => rpc.value?.retry()}>
          Try now
        </button>
      )}
    </div>
  );
}

function Nothing({ isMissing }: { isMissing: boolean }) {
  return (
    <main class="session nothing">
      {isOwner.value && !isRailOpen.value ? (
        <button type="button" class="plain" onClick={() => (isRailOpen.value = true)}>
          Show the list
        </button>
      ) : null}
      {isMissing ? (
        <p>
          This session is gone: it was removed, or its retention has expired. {isOwner.value ? <a href="#">All sessions</a> : null}
        </p>
      ) : (
        <>
          <Logo />
          <p>
            Choose a session, or press <kbd>Ctrl K</kbd>.
          </p>
        </>
      )}
    </main>
  );
}

const PROBLEMS: Record<Problem, readonly [title: string, explanation: string]> = {
  "no-key": ["This tab has no key", "A key belongs to one tab and ends with it."],
  ticket: ["This link is not valid", "A link works once, for a limited time: it was used, has expired, or never was valid."],
  ended: ["The key of this tab is no longer valid", "It expired, its session was removed, or it was revoked."],
  unreachable: ["holt does not answer", "The daemon is not running, or the network is down."],
};

function SignedOut() {
  const why = key.value === null ? problem.value : "ended";
  const [title, explanation] = PROBLEMS[why];
  return (
    <main class="signed-out">
      <Logo />
      <h1>{title}</h1>
      <p>{explanation} Sessions keep running.</p>
      {why === "unreachable" ? (
        <p>
          <button type="button" class="accent" onClick={() => location.reload()}>
            Try again
          </button>
        </p>
      ) : null}
      <p>
        In a terminal, <code>holt web</code> opens the page. For a shared session, ask its owner for a new link.
      </p>
    </main>
  );
}
