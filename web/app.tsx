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
import { Mark } from "./parts/mark.tsx";
import { isAway, isDriver, isLive, isLoaded, isOwner, isRailOpen, key, overlay, problem, rpc, selected, selectedId } from "./state/app.ts";
import { age, now } from "./state/time.ts";

export function App() {
  if (key.value === null || rpc.value?.line.value === "refused") return <SignedOut />;
  const isShown = selectedId.value !== null;
  return (
    <div class={`app ${isShown ? "shown" : ""} ${isRailOpen.value ? "" : "closed"}`}>
      <Offline />
      {key.value.scope.kind === "owner" ? <Rail /> : null}
      {selected.value === null ? <Nothing isMissing={isShown && isLoaded.value} /> : <SessionView key={selected.value.session_id} session={selected.value} />}
      <Over />
      <Toasts />
    </div>
  );
}

function Over() {
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

/** By then a daemon that was only replaced has answered. */
const AWAY_MS = 5000;

function Offline() {
  const line = rpc.value?.line.value;
  const lostAt = rpc.value?.lostAt.value ?? null;
  if (!isAway.value || lostAt === null) return null;
  const since = age(now.value - lostAt);
  const isLong = line === "offline" && now.value - lostAt > AWAY_MS;
  const isTyped = selected.value !== null && isLive(selected.value) && isDriver.value;
  return (
    <div class="offline" role="alert">
      <span>
        {line === "slow"
          ? `No answer for ${since}: the network is slow, or holt is busy. Sessions run on.`
          : `Offline for ${since}. Sessions run on, and nothing that they print is lost.`}
        {line === "offline" && isTyped ? " What you type now is not sent." : ""}
        {isLong ? (
          <>
            {" "}
            Where the daemon has ended, <code>holt web</code> in a terminal brings it back.
          </>
        ) : null}
      </span>
      {line === "slow" ? null : (
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
          This session is gone: it was removed, or its time to be kept is over. {isOwner.value ? <a href="#">All sessions</a> : null}
        </p>
      ) : (
        <>
          <Mark />
          <p>
            Choose a session, or press <kbd>Ctrl K</kbd>.
          </p>
        </>
      )}
    </main>
  );
}

const PROBLEMS: Record<Problem, readonly [title: string, happened: string]> = {
  "no-key": ["This tab has no key", "A key is for one tab, and is gone with it."],
  ticket: ["This link opens nothing any more", "A link opens once, and only for a while: it was used, or its time is over, or it never was one."],
  ended: ["The key of this tab has ended", "Its time was over, its session was removed, or somebody took it back."],
  unreachable: ["holt does not answer", "Its daemon does not run, or the network is down."],
};

function SignedOut() {
  const why = key.value === null ? problem.value : "ended";
  const [title, happened] = PROBLEMS[why];
  return (
    <main class="signed-out">
      <Mark />
      <h1>{title}</h1>
      <p>{happened} Nothing is lost: sessions run on.</p>
      {why === "unreachable" ? (
        <p>
          <button type="button" class="accent" onClick={() => location.reload()}>
            Try again
          </button>
        </p>
      ) : null}
      <p>
        In a terminal, <code>holt web</code> opens the page; whoever shared a session can make another link.
      </p>
    </main>
  );
}
