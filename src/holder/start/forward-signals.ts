/**
 * Forwards signals of a foreground run. A signal from the terminal reaches the whole foreground
 * group: a command on pipes is in that group and has it already; a command on its own terminal is
 * not, and gets the user's keys as bytes. A signal from a process is meant for the command.
 *
 * Ctrl-Z: the command stops in its terminal, its leader reports that, and the holder stops its own
 * job, so that the user's shell comes back. `fg` continues the command. Where no shell would notice
 * a stop, the command is continued at once.
 *
 * A run in the background stops when its command first uses the terminal (Transport.moveTo).
 */
import {
  ENDING_SIGNALS,
  onSignals,
  restoreDefault,
  type SignalArrival,
  type SignalName,
  send,
  signalName,
  signalNumber,
} from "../../platform/process/signals.ts";
import { isBackgroundJob } from "../../platform/tty/background-job.ts";
import { catchesSignal, hasJobControl, processStatus } from "../../platform/process/processes.ts";
import { continueStopped } from "../../process/end-tree.ts";
import { onceContinued } from "../session/observer.ts";
import type { HeldSession } from "../session/held-session.ts";
import type { UserTty } from "../../platform/tty/user-tty.ts";

const FORWARDED: readonly SignalName[] = [...ENDING_SIGNALS, "SIGTSTP"];
/** Cannot be caught, and only its sender should undo it. */
const SIGSTOP = signalNumber("SIGSTOP");
const ECHO_MS = 100;
const WATCHED: readonly SignalName[] = ["SIGCHLD", "SIGWINCH", "SIGCONT"];
const SIGTSTP = signalNumber("SIGTSTP");
/** The kernel sends these to a group that uses a terminal from the background. */
const FROM_BEHIND = ["SIGTTIN", "SIGTTOU"].map(signalNumber);
const SIGHUP = signalNumber("SIGHUP");
/** For output that a hang-up causes: no terminal shows it, the transcript keeps it. */
const LAST_WORDS_MS = 200;

export interface ForegroundJob {
  /** Call just before the command is spawned. */
  beforeSpawn(): void;
  /** Call just after the command was spawned. */
  spawned(pid: number): void;
  /** The command has a pid: delivers the signals that came before. */
  started(): void;
  /** The command was stopped: stops the holder's job, too. */
  suspend(signal: number): Promise<void>;
  /** The user's terminal is gone. */
  hangUp(): void;
  /**
   * A key made the command's terminal send these signals. Without holt the whole job would get
   * them, including a script or a make around it.
   */
  passOn(signals: readonly number[]): void;
}

export interface OutputDelivery {
  /** Resolves when the command's output has reached the user. */
  flushed(): Promise<void>;
  /**
   * The command has ended, and a signal ends the holder: output that the user did not read is
   * dropped.
   */
  cutShort(signal: number): void;
}

export function forwardSignals(session: HeldSession, userTty: UserTty | null, delivery: OutputDelivery): ForegroundJob {
  let early: SignalArrival[] | null = [];
  let stoppedEarly: number | null = null;
  const arrived = (arrival: SignalArrival): void => {
    if (early === null) return handle(arrival);
    // A command may stop its leader before the leader has reported that the command runs.
    if (arrival.signal === "SIGCHLD") continueStopped([arrival.pid]);
    early.push(arrival);
  };
  const source = onSignals([...FORWARDED, ...WATCHED], arrived);

  /** Deadline per signal until which it may be the echo of one sent to our own group. */
  const echoes = new Map<SignalName, number>();
  const isEcho = ({ signal, sender, pid }: SignalArrival): boolean =>
    sender === "unknown" ? performance.now() < (echoes.get(signal) ?? 0) : sender === "process" && pid === process.pid;

  function handle(arrival: SignalArrival): void {
    const { signal, sender } = arrival;
    if (signal !== "SIGCHLD" && isEcho(arrival)) return;
    if (signal === "SIGCHLD") session.childChanged(arrival.pid);
    else if (signal === "SIGWINCH" && userTty !== null) userTty.resized();
    else if (signal === "SIGCONT" && userTty !== null) userTty.takeAfterStop();
    else if (signal === "SIGUSR1" && session.rebindIfMissing()) return;
    else if (signal === "SIGTSTP" && userTty === null) stopWith(arrival);
    else forward(signal, sender);
  }

  function forward(signal: SignalName, sender: SignalArrival["sender"]): void {
    session.record.event({ type: "signal", signal, sender });
    if (session.hasEnded) {
      if (signal !== "SIGTSTP") delivery.cutShort(signalNumber(signal));
      return;
    }
    if (userTty === null && sender === "terminal") return;
    // A key pressed while the terminal was not ours is for the whole group, as in the command's own
    // terminal. A hang-up is too, as from a shell.
    const forAll = userTty !== null && (signal === "SIGHUP" || sender === "terminal");
    session.transport.signal(signalNumber(signal), forAll ? "group" : "command");
    if (signal === "SIGHUP") session.transport.resume();
  }

  /** On pipes: stops the command, then the holder. */
  function stopWith({ sender }: SignalArrival): void {
    if (sender !== "terminal") session.transport.signal(SIGTSTP, "command");
    stopHolder(process.pid, SIGTSTP, () => {
      if (sender !== "terminal") session.transport.resume();
    });
  }

  function stopHolder(target: number, signal: number, resume: () => void): void {
    restoreDefault(signal);
    send(target, signal);
    // This runs after `fg`, or at once where nothing can stop the holder.
    setTimeout(() => {
      source.again(signalName(signal));
      resume();
    }, 20);
  }

  async function suspend(signal: number): Promise<void> {
    if (early !== null) {
      stoppedEarly = signal;
      return;
    }
    if (signal === SIGSTOP && !hasJobControl()) {
      onceContinued(session, () => void (userTty !== null && session.transport.resume()));
      return;
    }
    if (userTty === null) {
      // The terminal's Ctrl-Z has stopped the holder, too. If this is seen after `fg`, the command
      // runs already.
      if (processStatus(session.transport.pid)?.state === "T")
        stopHolder(process.pid, SIGTSTP, () => session.transport.resume());
      return;
    }
    const { isInBackground: wasInBackground } = session.transport;
    if (hasJobControl()) await delivery.flushed();
    // A shell that brings a job to the foreground and believes it runs sends no SIGCONT.
    if (!hasJobControl() || (wasInBackground && !isBackgroundJob())) {
      userTty.take();
      session.transport.moveTo("foreground");
      session.transport.resume();
      return;
    }
    userTty.release();
    stopHolder(0, FROM_BEHIND.includes(signal) ? signal : SIGTSTP, () => {
      userTty.takeAfterStop();
      session.transport.resume();
    });
  }

  return {
    beforeSpawn() {
      source.collect();
      // Terminal signals until now went to a group that did not contain the command yet.
      early = (early ?? []).map((arrival) => ({ ...arrival, sender: "process" }));
    },
    spawned(pid) {
      source.collect();
      // Between the two calls the command may have missed a signal. A second one does no harm where
      // the first kills it; so it is sent unless the command catches it.
      early = (early ?? []).map((arrival) =>
        catchesSignal(pid, signalNumber(arrival.signal)) ? arrival : { ...arrival, sender: "process" },
      );
    },
    started() {
      const waiting = early ?? [];
      early = null;
      waiting.forEach(handle);
      if (stoppedEarly !== null) void suspend(stoppedEarly);
    },
    suspend,
    passOn(signals) {
      for (const signal of signals) {
        echoes.set(signalName(signal), performance.now() + ECHO_MS);
        send(0, signal);
      }
    },
    hangUp() {
      session.record.event({ type: "signal", signal: "SIGHUP", sender: "terminal" });
      if (session.hasEnded) return;
      session.transport.signal(SIGHUP, "group");
      session.transport.resume();
      // A command that survives the hang-up has no terminal any more.
      setTimeout(() => void (session.hasEnded || session.transport.closeChannel("pty")), LAST_WORDS_MS);
    },
  };
}
