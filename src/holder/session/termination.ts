/**
 * Ends a session on request: stop and kill act on the whole process tree. A request that comes
 * before the command has started waits for it.
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
  /** Children that the holder had before the session: `sleep 60 & exec holt run …`. */
  readonly #foreign = new Set(ownChildren());
  #transport: Transport | null = null;
  #reason: FinalReason | null = null;
  #onceStarted: ((transport: Transport) => void) | null = null;
  #ending: Promise<void> | null = null;
  #group: ControlGroup | null = null;

  constructor(record: SessionRecord) {
    this.#record = record;
  }

  /** The reason of the requested end. */
  get reason(): FinalReason | null {
    return this.#reason;
  }

  /** Sets the reason of an end that was not requested. */
  setReason(reason: FinalReason): void {
    this.#reason ??= reason;
  }

  started(transport: Transport): void {
    this.#transport = transport;
    this.#onceStarted?.(transport);
  }

  /** Excludes a child of the holder from the session. */
  disown(pid: number): void {
    this.#foreign.add(pid);
  }

  /** The control group that contains every process of the session. */
  setGroup(group: ControlGroup): void {
    this.#group = group;
  }

  async stop(reason: FinalReason, { signal = SIGTERM, graceMs = GRACE_MS } = {}): Promise<void> {
    this.#reason ??= reason;
    this.#record.event({ type: "stop", reason, signal: signalName(signal) });
    await this.#onceRunning(async (transport) => {
      transport.pause(false);
      const hasTerminal = transport.mode !== "pipe";
      await this.#awaitEnd(transport, stopTree(this.#tree(), { signal, graceMs, hasTerminal }));
    });
  }

  async kill(reason: FinalReason): Promise<void> {
    this.#reason ??= reason;
    this.#record.event({ type: "kill", reason });
    await this.#onceRunning((transport) => this.#awaitEnd(transport, killTree(this.#tree())));
  }

  async #awaitEnd(transport: Transport, ending: Promise<boolean>): Promise<void> {
    this.#ending = hangUpIfAlive(ending, transport);
    // After the signal: a leader that waits to be continued would not see the end.
    transport.resume();
    await this.#ending;
    continueStopped(transport.helpers);
  }

  /** The pids of the session's processes. */
  members(): number[] {
    return membersOf(this.#tree());
  }

  cpuTicks(): number {
    return cpuTicksOf(this.#tree());
  }

  /**
   * Resolves when the requested end has reached the whole tree, with SIGKILL after the grace
   * period. Null if no end was requested.
   */
  get treeEnded(): Promise<void> | null {
    return this.#ending;
  }

  /**
   * After the end: the processes that live on, because they may or because they could not be ended.
   */
  survivors(): ProcessIdentity[] {
    const tree = this.#tree();
    const survivors = livingMembersOf(tree);
    if (survivors.length > 0 || isEmpty(tree)) return survivors;
    const { process: command } = this.#record.meta;
    return command === null ? [] : [command]; // stands for processes that cannot be seen
  }

  /** After the end: ends what the command left running. Null if there is nothing. */
  endLeftovers(graceMs: number): Promise<unknown> | null {
    const tree = this.#tree();
    return isEmpty(tree) ? null : stopTree(tree, { signal: SIGTERM, graceMs, hasTerminal: false });
  }

  /** The start failed, or its outcome is unknown: kills every process that it may have created. */
  async abandon(): Promise<void> {
    const tree = this.#tree();
    if (!isEmpty(tree)) await killTree(tree);
  }

  async #onceRunning(end: (transport: Transport) => Promise<void>): Promise<void> {
    if (this.#transport === null) this.#onceStarted = (transport) => void end(transport);
    else await end(this.#transport);
  }

  #tree(): Tree {
    return { helpers: new Set(this.#transport?.helpers), foreign: this.#foreign, group: this.#group };
  }
}

/**
 * Hangs up a program that the holder may not signal, such as one of another user (sudo): closing
 * the terminal needs no permission.
 */
async function hangUpIfAlive(ending: Promise<boolean>, transport: Transport): Promise<void> {
  if (!(await ending)) transport.closeChannel("pty");
}
