/** A person at their terminal, attached to a session: keys there, screen here, until one of the two sides has enough. */
import { PacedOutput } from "../../platform/tty/paced-output.ts";
import { isBackgroundJob, stopUntilForeground } from "../../platform/tty/background-job.ts";
import { UserTty } from "../../platform/tty/user-tty.ts";
import { ENDING_SIGNALS, onSignals, type SignalName } from "../../platform/process/signals.ts";
import type { AttachRequest, DetachReason } from "../../protocol/wire/attach.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { DetachMatcher } from "../../terminal/keys/detach-keys.ts";
import { AttachKeys, isKnownSize } from "./attach-keys.ts";
import { AttachConnection } from "./attach-connection.ts";
import { dialHolder } from "../holder/dial-holder.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import { UserScreen } from "./user-screen.ts";
import { showRemainingOutput } from "./remaining-output.ts";
import { keyboardTakenNotice, readOnlyNotice, InputRefusedNotice } from "./input-refused.ts";

export type AttachOutcome =
  /** `unheard`: why what was typed last did not count. */
  | { kind: "detached"; reason: DetachReason; inputRefused: string | null }
  | { kind: "ended" }
  | { kind: "lost" }
  | { kind: "signal"; signal: SignalName };

export interface AttachUserOptions {
  sessions: LocalSessions;
  session: Session;
  /** But for the size, which is the person's. */
  request: AttachRequest;
  detachKeys: DetachMatcher;
  /** While a screen is rendered that nobody has looked at before. */
  progress(done: number, total: number): void;
}

const STDOUT = 1;
const SETTLE_MS = 3000;
const POLL_MS = 50;

/** What most programs take for granted where a terminal does not tell (a serial line). */
const MAX_ATTEMPTS = 5;
const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** The connection of the moment, and how far it has brought us. */
interface Attachment {
  attached: AttachConnection;
  keys: AttachKeys;
  refusedNotice: InputRefusedNotice;
  cursor: number;
}

interface AttachContext {
  person: UserTty;
  screen: UserScreen;
  options: AttachUserOptions;
  leave: (outcome: AttachOutcome) => void;
}

export async function attachUser(options: AttachUserOptions): Promise<AttachOutcome> {
  while (isBackgroundJob()) stopUntilForeground();
  const person = new UserTty("keys");
  const leave = Promise.withResolvers<AttachOutcome>();
  let attachment: Attachment | null = null;
  const out = new PacedOutput(STDOUT, {
    drained() {},
    closed: () => leave.resolve({ kind: "signal", signal: "SIGHUP" }),
  });
  const size = (): { cols: number; rows: number } => (isKnownSize(person.size) ? person.size : DEFAULT_SIZE);
  const screen = new UserScreen(out, size, options.request.clipboard);
  const stop = new AbortController();
  let hasEnded = false;
  const open = (request: AttachRequest): Promise<AttachConnection> =>
    AttachConnection.open(
      options.session,
      {
        ...request,
        size: request.size === null || !isKnownSize(person.size) ? null : person.size,
      },
      stop.signal,
    );
  process.on("exit", () => person.release());
  let isLeaving = false;
  const continued = (): void => {
    person.takeAfterStop();
    if (!isBackgroundJob())
      attachment?.attached.refresh(person.size); // who had the terminal meanwhile has written on it
    else setImmediate(() => void (isLeaving || stopUntilForeground())); // who is told to end along with it ends
  };
  const ended = (signal: SignalName): void => {
    isLeaving = true;
    leave.resolve({ kind: "signal", signal });
  };
  watchSignals({ person, onContinued: continued, onEndingSignal: ended }); // before the terminal is ours: whoever ends us gets it back
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
    attachment = createAttachment(opened, { person, screen, options, leave: leave.resolve });
    let outcome = await Promise.race([showItems(attachment, screen, options), leave.promise]);
    for (let attempt = 1; mayReattach(outcome) && (await isStillRunning(options)); attempt++) {
      attachment.attached[Symbol.dispose]();
      try {
        attachment.attached = await open(reattachRequest(options.request, attachment.cursor));
      } catch (error) {
        // One that is being killed may close its connections before it closes what they are dialled at.
        if (attempt === MAX_ATTEMPTS) throw error;
        await Bun.sleep(POLL_MS);
        continue;
      }
      attempt = 0;
      person.listen(true);
      outcome = await Promise.race([showItems(attachment, screen, options), leave.promise]);
    }
    if (outcome.kind === "lost") {
      const { sessions, session, request } = options;
      await showRemainingOutput(
        { sessions, id: session.session_id, cursor: attachment.cursor, replay: request.replay },
        screen,
      );
    }
    hasEnded = outcome.kind === "ended" || outcome.kind === "lost";
    attachment.refusedNotice.stop();
    person.listen(false); // what is typed from now on is for whoever comes next
    if (outcome.kind === "detached") attachment.attached.detach();
    return outcome;
  } finally {
    await screen.leave(hasEnded);
    stop.abort();
    person.release();
    out.close();
  }
}

function createAttachment(attached: AttachConnection, { person, screen, options, leave }: AttachContext): Attachment {
  const keys: AttachKeys = new AttachKeys({
    ...options,
    person,
    attached: () => attachment.attached,
    onDetach: () => leave({ kind: "detached", reason: "asked", inputRefused: refusedNotice.reason }),
    onIgnored: () => refusedNotice.show(readOnlyNotice(options.session)),
    onHangup: () => leave({ kind: "signal", signal: "SIGHUP" }),
  });
  const refusedNotice = new InputRefusedNotice(screen, () => attachment.attached.refresh(person.size));
  const attachment: Attachment = { attached, keys, refusedNotice, cursor: 0 };
  return attachment;
}

/** A holder that hung up has ended, or is just ending, or was killed: which of these is on disk in a moment. */
async function isStillRunning({ sessions, session: { session_id } }: AttachUserOptions): Promise<boolean> {
  const deadline = performance.now() + SETTLE_MS;
  while (!isFinal(sessions.get(session_id).state)) {
    using holder = await dialHolder(sessions.get(session_id), AbortSignal.timeout(SETTLE_MS));
    if (holder !== null) return true;
    if (performance.now() > deadline) break;
    await Bun.sleep(POLL_MS);
  }
  return false;
}

/** Who was stopped, or whose terminal was, is let go after a while, and may not even have been told. What it missed it sees when it is back. */
function mayReattach(outcome: AttachOutcome): boolean {
  return outcome.kind === "lost" || (outcome.kind === "detached" && outcome.reason === "slow");
}

function reattachRequest(request: AttachRequest, cursor: number): AttachRequest {
  const again = { ...request, replaces: false, takeover: false };
  return request.replay === "screen" ? again : { ...again, replay: "none", cursor: String(cursor) };
}

interface SignalHandlers {
  person: UserTty;
  onContinued: () => void;
  onEndingSignal: (signal: SignalName) => void;
}

function watchSignals({ person, onContinued: continued, onEndingSignal: ended }: SignalHandlers): void {
  onSignals(["SIGWINCH", "SIGCONT", ...ENDING_SIGNALS], ({ signal }) => {
    if (signal === "SIGWINCH") person.resized();
    else if (signal === "SIGCONT") continued();
    else ended(signal);
  });
}

async function showItems(
  attachment: Attachment,
  screen: UserScreen,
  options: AttachUserOptions,
): Promise<AttachOutcome> {
  let [isAccepted, hasReplay] = [false, false];
  const { attached, keys, refusedNotice } = attachment;
  for (let item = await attached.next(); item !== null; item = await attached.next()) {
    if (item.type === "output") {
      attachment.cursor = item.next;
      refusedNotice.outputArrived();
      await screen.output(item.bytes);
    } else if (item.type === "replay") {
      isAccepted = hasReplay = true;
      attachment.cursor = Number(item.head.cursor);
      await screen.replay(item.head, item.bytes, options.request.replay);
      keys.begin();
    } else if (item.type === "progress") {
      if (hasReplay) continue;
      isAccepted = true;
      options.progress(item.done, item.total);
      keys.begin(); // who does not want to wait for it may leave
    } else if (item.type === "modes") screen.modes(item.modes);
    else if (item.type === "detached") return { kind: "detached", reason: item.reason, inputRefused: null };
    else if (item.type === "end") return { kind: "ended" };
    else if (item.type === "lease") refusedNotice.clear();
    else if (item.type === "refused") {
      if (!isAccepted) throw item.error;
      if (item.error.code !== "EBUSY") screen.bell();
      else if (!keys.wasReport) refusedNotice.show(keyboardTakenNotice(item.error.message, options.session.session_id));
    }
  }
  return { kind: "lost" };
}
