/** A person at their terminal, attached to a session: keys there, screen here, until one of the two sides has enough. */
import { PacedOutput } from "../../platform/tty/paced-output.ts";
import { isBackgroundJob, stopUntilForeground } from "../../platform/tty/background-job.ts";
import { UserTty } from "../../platform/tty/user-tty.ts";
import { ENDING_SIGNALS, onSignals, type SignalName } from "../../platform/process/signals.ts";
import type { AttachRequest, DetachReason } from "../../protocol/wire/attach.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { DetachMatcher } from "../../terminal/keys/detach-keys.ts";
import { AttachKeys, isKnown } from "./attach-keys.ts";
import { Attached } from "./attached.ts";
import { dialHolder } from "../holder/dial-holder.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import { PersonScreen } from "./user-screen.ts";
import { showRest } from "./rest-of-session.ts";
import { keyboardTaken, onlyWatches, Unheard } from "./input-refused.ts";

export type AttachOutcome =
  /** `unheard`: why what was typed last did not count. */
  | { kind: "detached"; reason: DetachReason; unheard: string | null }
  | { kind: "ended" }
  | { kind: "lost" }
  | { kind: "signal"; signal: SignalName };

export interface AttachPersonOptions {
  sessions: LocalSessions;
  session: Session;
  /** But for the size, which is the person's. */
  request: AttachRequest;
  detachKeys: DetachMatcher;
  /** While a screen is rendered that nobody has looked at before. */
  progress(done: number, total: number): void;
}

const STDOUT = 1;
const SETTLED_MS = 3000;
const LOOK_MS = 50;

/** What most programs take for granted where a terminal does not tell (a serial line). */
const MOST_ATTEMPTS = 5;
const UNKNOWN_SIZE = { cols: 80, rows: 24 };

/** The connection of the moment, and how far it has brought us. */
interface Line {
  attached: Attached;
  keys: AttachKeys;
  unheard: Unheard;
  cursor: number;
}

interface Circumstances {
  person: UserTty;
  screen: PersonScreen;
  options: AttachPersonOptions;
  leave: (outcome: AttachOutcome) => void;
}

export async function attachPerson(options: AttachPersonOptions): Promise<AttachOutcome> {
  while (isBackgroundJob()) stopUntilForeground();
  const person = new UserTty("keys");
  const leave = Promise.withResolvers<AttachOutcome>();
  let line: Line | null = null;
  const out = new PacedOutput(STDOUT, {
    drained() {},
    closed: () => leave.resolve({ kind: "signal", signal: "SIGHUP" }),
  });
  const size = (): { cols: number; rows: number } => (isKnown(person.size) ? person.size : UNKNOWN_SIZE);
  const screen = new PersonScreen(out, size, options.request.clipboard);
  const stop = new AbortController();
  let isOver = false;
  const open = (request: AttachRequest): Promise<Attached> =>
    Attached.open(
      options.session,
      {
        ...request,
        size: request.size === null || !isKnown(person.size) ? null : person.size,
      },
      stop.signal,
    );
  process.on("exit", () => person.release());
  let isLeaving = false;
  const continued = (): void => {
    person.retake();
    if (!isBackgroundJob())
      line?.attached.refresh(person.size); // who had the terminal meanwhile has written on it
    else setImmediate(() => void (isLeaving || stopUntilForeground())); // who is told to end along with it ends
  };
  const ended = (signal: SignalName): void => {
    isLeaving = true;
    leave.resolve({ kind: "signal", signal });
  };
  watchSignals({ person, continued, ended }); // before the terminal is ours: whoever ends us gets it back
  person.take();
  try {
    const opening = open(options.request);
    const opened = await Promise.race([opening, leave.promise]);
    if ("kind" in opened) {
      opening.then(
        (late) => late[Symbol.dispose](),
        () => {},
      );
      return opened;
    }
    line = begun(opened, { person, screen, options, leave: leave.resolve });
    let outcome = await Promise.race([show(line, screen, options), leave.promise]);
    for (let attempt = 1; isLetGo(outcome) && (await goesOn(options)); attempt++) {
      line.attached[Symbol.dispose]();
      try {
        line.attached = await open(comingBack(options.request, line.cursor));
      } catch (error) {
        // One that is being killed may close its connections before it closes what they are dialled at.
        if (attempt === MOST_ATTEMPTS) throw error;
        await Bun.sleep(LOOK_MS);
        continue;
      }
      attempt = 0;
      person.listen(true);
      outcome = await Promise.race([show(line, screen, options), leave.promise]);
    }
    if (outcome.kind === "lost") {
      const { sessions, session, request } = options;
      await showRest({ sessions, id: session.session_id, cursor: line.cursor, replay: request.replay }, screen);
    }
    isOver = outcome.kind === "ended" || outcome.kind === "lost";
    line.unheard.end();
    person.listen(false); // what is typed from now on is for whoever comes next
    if (outcome.kind === "detached") line.attached.detach();
    return outcome;
  } finally {
    await screen.leave(isOver);
    stop.abort();
    person.release();
    out.close();
  }
}

function begun(attached: Attached, { person, screen, options, leave }: Circumstances): Line {
  const keys: AttachKeys = new AttachKeys({
    ...options,
    person,
    attached: () => line.attached,
    detach: () => leave({ kind: "detached", reason: "asked", unheard: unheard.why }),
    ignored: () => unheard.typed(onlyWatches(options.session)),
    hungUp: () => leave({ kind: "signal", signal: "SIGHUP" }),
  });
  const unheard = new Unheard(screen, () => line.attached.refresh(person.size));
  const line: Line = { attached, keys, unheard, cursor: 0 };
  return line;
}

/** A holder that hung up has ended, or is just ending, or was killed: which of these is on disk in a moment. */
async function goesOn({ sessions, session: { session_id } }: AttachPersonOptions): Promise<boolean> {
  const deadline = performance.now() + SETTLED_MS;
  while (!isFinal(sessions.get(session_id).state)) {
    using holder = await dialHolder(sessions.get(session_id), AbortSignal.timeout(SETTLED_MS));
    if (holder !== null) return true;
    if (performance.now() > deadline) break;
    await Bun.sleep(LOOK_MS);
  }
  return false;
}

/** Who was stopped, or whose terminal was, is let go after a while, and may not even have been told. What it missed it sees when it is back. */
function isLetGo(outcome: AttachOutcome): boolean {
  return outcome.kind === "lost" || (outcome.kind === "detached" && outcome.reason === "slow");
}

function comingBack(request: AttachRequest, cursor: number): AttachRequest {
  const again = { ...request, replaces: false, takeover: false };
  return request.replay === "screen" ? again : { ...again, replay: "none", cursor: String(cursor) };
}

interface Signalled {
  person: UserTty;
  continued: () => void;
  ended: (signal: SignalName) => void;
}

function watchSignals({ person, continued, ended }: Signalled): void {
  onSignals(["SIGWINCH", "SIGCONT", ...ENDING_SIGNALS], ({ signal }) => {
    if (signal === "SIGWINCH") person.resized();
    else if (signal === "SIGCONT") continued();
    else ended(signal);
  });
}

async function show(line: Line, screen: PersonScreen, options: AttachPersonOptions): Promise<AttachOutcome> {
  let [isIn, hasReplay] = [false, false];
  const { attached, keys, unheard } = line;
  for (let item = await attached.next(); item !== null; item = await attached.next()) {
    if (item.type === "output") {
      line.cursor = item.next;
      unheard.printed();
      await screen.output(item.bytes);
    } else if (item.type === "replay") {
      isIn = hasReplay = true;
      line.cursor = Number(item.head.cursor);
      await screen.replay(item.head, item.bytes, options.request.replay);
      keys.begin();
    } else if (item.type === "progress") {
      if (hasReplay) continue;
      isIn = true;
      options.progress(item.done, item.total);
      keys.begin(); // who does not want to wait for it may leave
    } else if (item.type === "modes") screen.modes(item.modes);
    else if (item.type === "detached") return { kind: "detached", reason: item.reason, unheard: null };
    else if (item.type === "end") return { kind: "ended" };
    else if (item.type === "lease") unheard.over();
    else if (item.type === "refused") {
      if (!isIn) throw item.error;
      if (item.error.code !== "EBUSY") screen.bell();
      else if (!keys.wasReport) unheard.typed(keyboardTaken(item.error.message, options.session.session_id));
    }
  }
  return { kind: "lost" };
}
