/**
 * Holders that are started in advance, so that a session start costs about one spawn. The pool is
 * refilled one holder at a time once no start has come for a moment, so that a refill slows no
 * start. A burst beyond the pool starts holders on demand.
 */
import { waitFor } from "../../platform/process/wait.ts";
import type { StartReply, StartRequest } from "../../protocol/wire/start-request.ts";
import { type HolderEvents, NewHolder } from "./new-holder.ts";

const WARM_HOLDERS = 3;
/** Finished holders that wait for another session, at most. */
const MAX_READY = 8;
const SHRINK_MS = 1000;
const QUIET_MS = 25;
/** Holders starting at once, at most; further starts wait. */
const MAX_COMING_UP = 16;
const RETRY_MS = 1000;
const REAP_MS = 500;
/**
 * A ready holder answers in milliseconds: three silent ones can be given up, and a new one started,
 * before the call's deadline.
 */
const ANSWER_MS = { ready: 10_000, comingUp: 30_000 };

export class WarmPool implements Disposable {
  readonly #env: readonly Uint8Array[];
  #ready: NewHolder[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isOpen = true;
  #comingUp = 0;
  readonly #queue: (() => void)[] = [];
  readonly #unreaped = new Set<number>();
  #reaper: ReturnType<typeof setInterval> | null = null;

  constructor(env: readonly Uint8Array[]) {
    this.#env = env;
    this.#refillIn(0);
  }

  get size(): number {
    let size = 0;
    for (const { isGone } of this.#ready) if (!isGone) size++;
    return size;
  }

  /** True if the process is a running holder of this daemon. */
  isOurs(pid: number): boolean {
    return this.#unreaped.has(pid);
  }

  /**
   * Retries on another holder if one ends before it answers: of two with the same id only one can
   * claim it.
   */
  async start(request: StartRequest, id: string, events: HolderEvents): Promise<StartReply> {
    let reply = await this.#startOnNext(request, events);
    for (let retries = MAX_READY; hasNoAnswer(reply) && retries > 0; retries--) {
      const next = await this.#startOnNext(request, events);
      if (isTaken(next)) return alreadyBegun(id); // the refusal ended the events
      reply = next;
    }
    if (hasNoAnswer(reply)) events.gone();
    return reply;
  }

  /** Ends the holders without a session. */
  [Symbol.dispose](): void {
    this.#isOpen = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#reaper !== null) clearInterval(this.#reaper);
    for (const holder of this.#ready) holder.close();
    this.#ready = [];
  }

  #take(): NewHolder | undefined {
    for (;;) {
      const holder = this.#ready.shift();
      if (holder?.isGone !== true) return holder;
    }
  }

  /** The pool is refilled after the start is sent. */
  #startOnNext(request: StartRequest, events: HolderEvents): Promise<StartReply> {
    try {
      return this.#startOn(this.#take(), request, events);
    } finally {
      this.#refillIn(QUIET_MS);
    }
  }

  #startOn(warm: NewHolder | undefined, request: StartRequest, events: HolderEvents): Promise<StartReply> {
    return warm === undefined ? this.#startCold(request, events) : warm.start(request, events, ANSWER_MS.ready);
  }

  async #startCold(request: StartRequest, events: HolderEvents): Promise<StartReply> {
    while (this.#comingUp >= MAX_COMING_UP) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#comingUp++;
    try {
      const holder = await this.#spawn();
      return await holder.start(request, events, ANSWER_MS.comingUp);
    } finally {
      this.#comingUp--;
      this.#queue.shift()?.();
    }
  }

  async #spawn(): Promise<NewHolder> {
    const holder = await NewHolder.spawn(this.#env);
    this.#unreaped.add(holder.pid);
    this.#reaper ??= setInterval(() => this.#reap(), REAP_MS);
    holder.endedUnused = () => this.#refillIn(QUIET_MS);
    holder.freed = () => {
      if (!this.#isOpen || this.size >= MAX_READY) return holder.close();
      this.#ready.unshift(holder); // first: its start code is warm
      if (this.size > WARM_HOLDERS) this.#refillIn(SHRINK_MS);
    };
    return holder;
  }

  #reap(): void {
    for (const pid of this.#unreaped)
      if (waitFor(pid, { block: false, stops: false }) !== null) this.#unreaped.delete(pid);
  }

  #refillIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#isOpen ? setTimeout(() => void this.#refill(), ms) : null;
  }

  async #refill(): Promise<void> {
    this.#timer = null;
    if (this.size > WARM_HOLDERS) {
      this.#ready.pop()?.close();
      this.#refillIn(QUIET_MS);
    }
    if (this.size >= WARM_HOLDERS) return;
    let holder: NewHolder;
    try {
      holder = await this.#spawn();
    } catch {
      this.#refillIn(RETRY_MS); // too many processes or descriptors: starts report it themselves
      return;
    }
    if (this.#isOpen) this.#ready.push(holder);
    else holder.close();
    this.#refillIn(QUIET_MS);
  }
}

/**
 * The id was requested once, so the existing session is this one; its record may show whether the
 * command ran.
 */
function alreadyBegun(id: string): StartReply {
  const hint = `the session had begun: see session ${id}`;
  return {
    error: { code: "EINTERNAL", message: "the holder ended before it had answered", hint },
    exit_code: 125,
    is_unheard: true,
  };
}

function hasNoAnswer(reply: StartReply): boolean {
  return "error" in reply && reply.is_unheard === true;
}

function isTaken(reply: StartReply): boolean {
  return "error" in reply && reply.error.code === "EEXISTS";
}
