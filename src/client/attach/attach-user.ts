/**
 * Attaches the user's terminal to a session: keys go to its holder, its screen comes back, until
 * detach or the session's end.
 */
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
  /** `inputRefused`: why the last input was not sent to the command. */
  | { kind: "detached"; reason: DetachReason; inputRefused: string | null }
  | { kind: "ended" }
  | { kind: "lost" }
  | { kind: "signal"; signal: SignalName };

export interface AttachUserOptions {
  sessions: LocalSessions;
  session: Session;
  /** The size in it is replaced by the terminal's. */
  request: AttachRequest;
  detachKeys: DetachMatcher;
  /** Called while the holder renders the session's first screen. */
  progress(done: number, total: number): void;
}

const STDOUT = 1;
const SETTLE_MS = 3000;
const POLL_MS = 50;

const MAX_ATTEMPTS = 5;
/** For a terminal that reports no size, such as a serial line. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** The current connection, and the cursor that it has reached. */
interface Attachment {
  connection: AttachConnection;
  keys: AttachKeys;
  refusedNotice: InputRefusedNotice;
  cursor: number;
}

interface AttachContext {
  tty: UserTty;
  screen: UserScreen;
  options: AttachUserOptions;
  leave: (outcome: AttachOutcome) => void;
}

export async function attachUser(options: AttachUserOptions): Promise<AttachOutcome> {
  while (isBackgroundJob()) stopUntilForeground();
  const tty = new UserTty("keys");
  const leave = Promise.withResolvers<AttachOutcome>();
  let attachment: Attachment | null = null;
  const out = new PacedOutput(STDOUT, {
    drained() {},
    closed: () => leave.resolve({ kind: "signal", signal: "SIGHUP" }),
  });
  const size = (): { cols: number; rows: number } => (isKnownSize(tty.size) ? tty.size : DEFAULT_SIZE);
  const screen = new UserScreen(out, size, options.request.clipboard);
  const stop = new AbortController();
  let hasEnded = false;
  const open = (request: AttachRequest): Promise<AttachConnection> =>
    AttachConnection.open(
      options.session,
      {
        ...request,
        size: request.size === null || !isKnownSize(tty.size) ? null : tty.size,
      },
      stop.signal,
    );
  process.on("exit", () => tty.release());
  let isLeaving = false;
  const onContinued = (): void => {
    tty.takeAfterStop();
    if (isBackgroundJob()) {
      // An ending signal that arrives with SIGCONT is handled first.
      setImmediate(() => void (isLeaving || stopUntilForeground()));
    } else attachment?.connection.refresh(tty.size); // another job has written to the terminal
  };
  const onEndingSignal = (signal: SignalName): void => {
    isLeaving = true;
    leave.resolve({ kind: "signal", signal });
  };
  // Before the terminal is taken: each ending signal must restore it.
  watchSignals({ tty, onContinued, onEndingSignal });
  tty.take();
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
    attachment = createAttachment(opened, { tty, screen, options, leave: leave.resolve });
    let outcome = await Promise.race([showItems(attachment, screen, options), leave.promise]);
    for (let attempt = 1; mayReattach(outcome) && (await isStillRunning(options)); attempt++) {
      attachment.connection[Symbol.dispose]();
      try {
        attachment.connection = await open(reattachRequest(options.request, attachment.cursor));
      } catch (error) {
        // A holder that is being killed may close its connections before its listening socket.
        if (attempt === MAX_ATTEMPTS) throw error;
        await Bun.sleep(POLL_MS);
        continue;
      }
      attempt = 0;
      tty.listen(true);
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
    tty.listen(false); // later input belongs to the shell
    if (outcome.kind === "detached") attachment.connection.detach();
    return outcome;
  } finally {
    await screen.leave(hasEnded);
    stop.abort();
    tty.release();
    out.close();
  }
}

function createAttachment(connection: AttachConnection, { tty, screen, options, leave }: AttachContext): Attachment {
  const keys: AttachKeys = new AttachKeys({
    ...options,
    tty,
    connection: () => attachment.connection,
    onDetach: () => leave({ kind: "detached", reason: "asked", inputRefused: refusedNotice.reason }),
    onIgnored: () => refusedNotice.show(readOnlyNotice(options.session)),
    onHangup: () => leave({ kind: "signal", signal: "SIGHUP" }),
  });
  const refusedNotice = new InputRefusedNotice(screen, () => attachment.connection.refresh(tty.size));
  const attachment: Attachment = { connection, keys, refusedNotice, cursor: 0 };
  return attachment;
}

/**
 * After the holder closed the connection: the records on disk soon show whether the session ended.
 */
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

/**
 * A client that was stopped, or whose terminal was, is disconnected after a while. It catches up
 * when it attaches again.
 */
function mayReattach(outcome: AttachOutcome): boolean {
  return outcome.kind === "lost" || (outcome.kind === "detached" && outcome.reason === "slow");
}

function reattachRequest(request: AttachRequest, cursor: number): AttachRequest {
  const again = { ...request, replaces: false, takeover: false };
  return request.replay === "screen" ? again : { ...again, replay: "none", cursor: String(cursor) };
}

interface SignalHandlers {
  tty: UserTty;
  onContinued: () => void;
  onEndingSignal: (signal: SignalName) => void;
}

function watchSignals({ tty, onContinued, onEndingSignal }: SignalHandlers): void {
  onSignals(["SIGWINCH", "SIGCONT", ...ENDING_SIGNALS], ({ signal }) => {
    if (signal === "SIGWINCH") tty.resized();
    else if (signal === "SIGCONT") onContinued();
    else onEndingSignal(signal);
  });
}

async function showItems(
  attachment: Attachment,
  screen: UserScreen,
  options: AttachUserOptions,
): Promise<AttachOutcome> {
  let [isAccepted, hasReplay] = [false, false];
  const { connection, keys, refusedNotice } = attachment;
  for (let item = await connection.next(); item !== null; item = await connection.next()) {
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
      keys.begin(); // the user may leave while the screen is rendered
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
