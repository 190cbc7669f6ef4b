/**
 * The ends of a session that somebody asks for: stop and kill, of the whole tree. Asked for while there is no command yet, they wait
 * for it: what was asked for is never lost to a start.
 */
import { signalName } from "../../platform/process/signals.ts";
import type { ControlGroup } from "../../platform/process/cgroup.ts";
import type { FinalReason, ProcessIdentity } from "../../protocol/types/session.ts";
import type { Transport } from "../../process/transport.ts";
import { continueStopped, killTree, stopTree } from "../../process/end-tree.ts";
import { ownChildren } from "../../process/own-children.ts";
import { cpuTicksOf, isEmpty, membersOf, livingMembersOf, type Tree } from "../../process/tree.ts";
import type { SessionRecord } from "./session-record.ts";

const SIGTERM = 15;
export const GRACE_MS = 5000;

export class Termination {
  readonly #record: SessionRecord;
  /** Children that were ours before the session: `sleep 60 & exec holt run …`. */
  readonly #foreign = new Set(ownChildren());
  #transport: Transport | null = null;
  #reason: FinalReason | null = null;
  #onceStarted: ((transport: Transport) => void) | null = null;
  #ending: Promise<void> | null = null;
  #group: ControlGroup | null = null;

  constructor(record: SessionRecord) {
    this.#record = record;
  }

  /** Why it is being ended, once somebody asked. */
  get reason(): FinalReason | null {
    return this.#reason;
  }

  /** Nobody asked for it, but it is known why it has ended. */
  setReason(reason: FinalReason): void {
    this.#reason ??= reason;
  }

  started(transport: Transport): void {
    this.#transport = transport;
    this.#onceStarted?.(transport);
  }

  /** A child of ours that does not belong to the session. */
  disown(pid: number): void {
    this.#foreign.add(pid);
  }

  /** All that the command starts is in it. */
  setGroup(group: ControlGroup): void {
    this.#group = group;
  }

  async stop(reason: FinalReason, { signal = SIGTERM, graceMs = GRACE_MS } = {}): Promise<void> {
    this.#reason ??= reason;
    this.#record.event({ type: "stop", reason, signal: signalName(signal) });
    await this.#now(async (transport) => {
      transport.pause(false);
      const hasTerminal = transport.mode !== "pipe";
      await this.#until(transport, stopTree(this.#tree(), { signal, graceMs, hasTerminal }));
    });
  }

  async kill(reason: FinalReason): Promise<void> {
    this.#reason ??= reason;
    this.#record.event({ type: "kill", reason });
    await this.#now((transport) => this.#until(transport, killTree(this.#tree())));
  }

  async #until(transport: Transport, ending: Promise<boolean>): Promise<void> {
    this.#ending = orHangUp(ending, transport);
    transport.resume(); // after the signal: a leader that waits for that would not see the end
    await this.#ending;
    continueStopped(transport.helpers);
  }

  /** Everything of the session that a look finds. */
  members(): number[] {
    return membersOf(this.#tree());
  }

  cpuTicks(): number {
    return cpuTicksOf(this.#tree());
  }

  /** Whoever asked for the end asked for the whole tree's: what ignores the signal gets the other one. Null: nobody asked. */
  get treeEnded(): Promise<void> | null {
    return this.#ending;
  }

  /** After the end: what goes on, because it may or because nothing could end it. */
  survivors(): ProcessIdentity[] {
    const tree = this.#tree();
    const survivors = livingMembersOf(tree);
    if (survivors.length > 0 || isEmpty(tree)) return survivors;
    const { process: command } = this.#record.meta;
    return command === null ? [] : [command]; // it stands for what cannot be seen
  }

  /** After the end: what the command left running is ended. Null: nothing. */
  endLeftovers(graceMs: number): Promise<unknown> | null {
    const tree = this.#tree();
    return isEmpty(tree) ? null : stopTree(tree, { signal: SIGTERM, graceMs, hasTerminal: false });
  }

  /** It could not be started, or nobody knows whether it was: what has begun all the same is not left to itself. */
  async abandon(): Promise<void> {
    const tree = this.#tree();
    if (!isEmpty(tree)) await killTree(tree);
  }

  async #now(end: (transport: Transport) => Promise<void>): Promise<void> {
    if (this.#transport === null) this.#onceStarted = (transport) => void end(transport);
    else await end(this.#transport);
  }

  #tree(): Tree {
    return { helpers: new Set(this.#transport?.helpers), foreign: this.#foreign, group: this.#group };
  }
}

/** What we may not end, a program of another user's (sudo), still loses its terminal, and the kernel asks nobody's leave to tell it so. */
async function orHangUp(ending: Promise<boolean>, transport: Transport): Promise<void> {
  if (!(await ending)) transport.closeChannel("pty");
}
