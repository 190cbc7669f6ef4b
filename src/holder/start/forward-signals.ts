/**
 * Signals of a foreground run. What the terminal sent went to its whole foreground group: on pipes the command is in that group and has it
 * already; on its own terminal the command is not, and the person's keys reach it as bytes. What a process sent to us is
 * meant for the command.
 *
 * Ctrl-Z: the command stops in its terminal, its leader says so, and then we stop ourselves as a job, so that the person's shell
 * comes back. After `fg` the command is continued. Where no shell would notice a stop, the command is continued at once.
 *
 * In the background the command is there in its own terminal, too, and stops at its first use of it (Transport.moveTo): so do we.
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
/** A stop that asks nobody's leave: only whoever sent it may undo it. */
const SIGSTOP = signalNumber("SIGSTOP");
const ECHO_MS = 100;
const WATCHED: readonly SignalName[] = ["SIGCHLD", "SIGWINCH", "SIGCONT"];
const SIGTSTP = signalNumber("SIGTSTP");
/** Sent by the kernel to a group that uses a terminal from the background. */
const FROM_BEHIND = ["SIGTTIN", "SIGTTOU"].map(signalNumber);
const SIGHUP = signalNumber("SIGHUP");
/** For what a command prints because of a hang-up: nobody sees it, but it is kept. */
const LAST_WORDS_MS = 200;

export interface ForegroundJob {
  /** The command is about to be made. */
  beforeSpawn(): void;
  /** It was, this moment. */
  spawned(pid: number): void;
  /** The command has a pid: signals that came before are delivered now. */
  started(): void;
  /** The command was stopped: so are we. */
  suspend(signal: number): Promise<void>;
  /** The person's terminal is gone. */
  hangUp(): void;
  /** A key made the command's own terminal send it these: without us the whole job would have them, a script or a make around us too. */
  passOn(signals: readonly number[]): void;
}

export interface OutputDelivery {
  /** Resolves when what the command printed has gone to the person. */
  flushed(): Promise<void>;
  /** The command has ended and a signal came that ends us too: what the person did not take is given up. */
  cutShort(signal: number): void;
}

export function forwardSignals(session: HeldSession, person: UserTty | null, delivery: OutputDelivery): ForegroundJob {
  let early: SignalArrival[] | null = [];
  let stoppedEarly: number | null = null;
  const arrived = (arrival: SignalArrival): void => {
    if (early === null) return handle(arrival);
    if (arrival.signal === "SIGCHLD") continueStopped([arrival.pid]); // a command may stop its leader before that has said that it runs
    early.push(arrival);
  };
  const source = onSignals([...FORWARDED, ...WATCHED], arrived);

  /** Until when a signal may be the one that we sent to our own group. */
  const echoes = new Map<SignalName, number>();
  const isEcho = ({ signal, sender, pid }: SignalArrival): boolean =>
    sender === "unknown" ? performance.now() < (echoes.get(signal) ?? 0) : sender === "process" && pid === process.pid;

  function handle(arrival: SignalArrival): void {
    const { signal, sender } = arrival;
    if (signal !== "SIGCHLD" && isEcho(arrival)) return;
    if (signal === "SIGCHLD") session.childChanged(arrival.pid);
    else if (signal === "SIGWINCH" && person !== null) person.resized();
    else if (signal === "SIGCONT" && person !== null) person.retake();
    else if (signal === "SIGUSR1" && session.rebindIfMissing()) return;
    else if (signal === "SIGTSTP" && person === null) stopWith(arrival);
    else forward(signal, sender);
  }

  function forward(signal: SignalName, sender: SignalArrival["sender"]): void {
    session.record.event({ type: "signal", signal, sender });
    if (session.hasEnded) {
      if (signal !== "SIGTSTP") delivery.cutShort(signalNumber(signal));
      return;
    }
    if (person === null && sender === "terminal") return;
    // A key pressed while the terminal was not ours is for the whole group, as in its own; and a hang-up, as from a shell.
    const forAll = person !== null && (signal === "SIGHUP" || sender === "terminal");
    session.transport.signal(signalNumber(signal), forAll ? "group" : "command");
    if (signal === "SIGHUP") session.transport.resume();
  }

  /** On pipes: the command stops, and then we. */
  function stopWith({ sender }: SignalArrival): void {
    if (sender !== "terminal") session.transport.signal(SIGTSTP, "command");
    stopOurselves(process.pid, SIGTSTP, () => {
      if (sender !== "terminal") session.transport.resume();
    });
  }

  function stopOurselves(target: number, signal: number, resume: () => void): void {
    restoreDefault(signal);
    send(target, signal);
    // This turn comes after `fg`, or at once where nobody can stop us.
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
      onceContinued(session, () => void (person !== null && session.transport.resume()));
      return;
    }
    if (person === null) {
      // The terminal's own Ctrl-Z has stopped us along with it; seen after `fg`, the command runs already.
      if (processStatus(session.transport.pid)?.state === "T")
        stopOurselves(process.pid, SIGTSTP, () => session.transport.resume());
      return;
    }
    const { isInBackground: wasInBackground } = session.transport;
    if (hasJobControl()) await delivery.flushed();
    // A shell that brings what it takes for a running job to the front tells it nothing.
    if (!hasJobControl() || (wasInBackground && !isBackgroundJob())) {
      person.take();
      session.transport.moveTo("foreground");
      session.transport.resume();
      return;
    }
    person.release();
    stopOurselves(0, FROM_BEHIND.includes(signal) ? signal : SIGTSTP, () => {
      person.retake();
      session.transport.resume();
    });
  }

  return {
    beforeSpawn() {
      source.collect();
      // What the terminal sent until now went to a group that the command was not in yet.
      early = (early ?? []).map((arrival) => ({ ...arrival, sender: "process" }));
    },
    spawned(pid) {
      source.collect();
      // Between the two moments it may have missed one as well. If it has it, it dies of it, and a second does not matter; unless it
      // catches it.
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
      // A command that stays on all the same has no terminal any more.
      setTimeout(() => void (session.hasEnded || session.transport.closeChannel("pty")), LAST_WORDS_MS);
    },
  };
}
