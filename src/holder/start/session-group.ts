/**
 * The control group that enforces the limits of a whole session. Loaded only for sessions with such
 * limits.
 */
import { ControlGroup, type Controller, groupParent } from "../../platform/process/cgroup.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import type { Limits } from "../../protocol/types/limits.ts";
import { OUT_OF_RESOURCES, SpawnFailure } from "../../process/resolve-command.ts";
import type { CommandEnd } from "../../process/transport.ts";
import { forgetGroup, groupName, recordGroup } from "../../transcript/retention/control-groups.ts";
import type { Layout } from "../../transcript/layout.ts";
import type { HeldSession } from "../session/held-session.ts";

const SIGKILL = 9;

export interface GroupRequest {
  layout: Layout;
  limits: Limits;
  /** From the configuration; null: found automatically. */
  parent: string | null;
}

export class SessionGroup {
  readonly #layout: Layout;
  readonly #session: HeldSession;
  readonly #group: ControlGroup;

  /**
   * Throws SpawnFailure where no group can be made: running without a requested limit would be
   * worse than not running.
   */
  constructor(session: HeldSession, { layout, limits, parent }: GroupRequest) {
    this.#layout = layout;
    this.#session = session;
    const { session_memory_bytes: memoryBytes, session_processes: processes } = limits;
    const needed: Controller[] = [];
    if (memoryBytes !== null) needed.push("memory");
    if (processes !== null) needed.push("pids");
    const { id } = session.record.dir;
    try {
      const path = `${groupParent(parent, needed)}/${groupName(layout, id)}`;
      recordGroup(layout, id, path);
      this.#group = new ControlGroup(path, { memoryBytes, processes });
      session.termination.setGroup(this.#group);
    } catch (error) {
      forgetGroup(layout, id);
      throw groupFailure(error);
    }
  }

  /** Descriptor for adding the command; valid only during its start. */
  get procs(): number {
    return this.#group.procs;
  }

  /** Every process that belongs to the group has joined. */
  entered(): void {
    closeQuietly(this.#group.procs);
  }

  /**
   * The command and its leftovers have ended. Runs before the final record, which gives the reason.
   */
  ended(ending: CommandEnd): void {
    if (ending.kind === "signaled" && ending.signal === SIGKILL && this.#group.wasOutOfMemory)
      this.#session.termination.setReason("limit_exceeded");
    this.leave();
  }

  /** A group with processes cannot be removed: a later sweep does it. */
  leave(): void {
    if (this.#group.remove()) forgetGroup(this.#layout, this.#session.record.dir.id);
  }
}

function groupFailure(error: unknown): SpawnFailure {
  const why = error instanceof HoltError ? error.message : (errnoOf(error) ?? String(error));
  const hint = error instanceof HoltError ? error.hint : null;
  return new SpawnFailure(OUT_OF_RESOURCES, `cannot limit the session as a whole: ${why}`, hint ?? "run `holt doctor`");
}
