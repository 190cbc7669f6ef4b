/**
 * What stands between a call and what it does. Every call passes here, whichever surface it came through, and every session that a call starts
 * comes here again, with all that is known by then, whichever method starts it: a method cannot forget to ask.
 *
 * Which call a start belongs to is carried along by the runtime (AsyncLocalStorage), not by each function in between.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Settings } from "../config/keys.ts";
import { bounded } from "../policy/bounds.ts";
import { decide } from "../policy/decide.ts";
import type { Decision, Policy } from "../policy/policy.ts";
import { losslessBytes } from "../platform/lossless-text.ts";
import { environmentKeys } from "../platform/raw-arguments.ts";
import { textOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Effect } from "../protocol/rows/row.schema.ts";
import { newSessionId } from "../protocol/session-id.ts";
import { DEFAULT_MAX_OUTPUT_BYTES } from "../protocol/session.ts";
import type { StartRequest } from "../protocol/start-request.ts";
import type { ApprovalDesk, Asked, Question } from "./approval-desk.ts";
import type { Audit, Ended } from "./audit.ts";
import { type Caller, callerKey } from "./caller.ts";
import type { CurrentSettings } from "./current-settings.ts";
import { inputBytesIn } from "./input-bytes.ts";
import { boundsFrom, policyFrom } from "./rules.ts";
import { type Needs, subjectOf } from "./subject.ts";

const LOOK_UP_MS = 1000;

export interface Arrival {
  caller: Caller;
  method: string;
  params: unknown;
  signal: AbortSignal;
}

/** A call under way, and what becomes known of it on the way. */
export interface Passage extends Arrival {
  /** The same in all that is written about it. */
  callId: string;
  /** Made when it is asked for: a start does not wait for what is written about it. */
  start: (() => Shown) | null;
  decision: Decision | null;
  approval: { approval_id: string; approval: Asked["outcome"] } | null;
}

export interface GateParts {
  settings: CurrentSettings;
  audit: Audit;
  desk: ApprovalDesk;
  /** Whether a session that this daemon started still lives. */
  lives: (sessionId: string) => boolean;
}

export class Gate {
  readonly #passages = new AsyncLocalStorage<Passage>();
  readonly #settings: CurrentSettings;
  readonly #audit: Audit;
  /** No two daemons, and no two calls, have the same id. */
  readonly #epoch = newSessionId();
  #count = 0;
  #policy: { settings: Settings; at: number; policy: Policy } | null = null;
  readonly #desk: ApprovalDesk;
  readonly #lives: GateParts["lives"];
  readonly #calls = new Map<string, number>();
  /** By caller: the sessions that it started. */
  readonly #sessions = new Map<string, Set<string>>();

  constructor({ settings, audit, desk, lives }: GateParts) {
    this.#audit = audit;
    this.#desk = desk;
    this.#settings = settings;
    this.#lives = lives;
  }

  /** A call, from its arrival to its answer. */
  async pass<T>(arrival: Arrival, call: () => Promise<T>): Promise<T> {
    const passage: Passage = { ...arrival, callId: this.#nextId(), start: null, decision: null, approval: null };
    const key = callerKey(passage.caller);
    const underWay = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, underWay);
    const began = performance.now();
    const told = (outcome: Ended["outcome"]): void =>
      this.#audit.ended({ passage, durationMs: performance.now() - began, outcome });
    try {
      this.#checkCall(passage, underWay);
      const result = await this.#passages.run(passage, call);
      told({ result });
      return result;
    } catch (error) {
      told({ error });
      throw error;
    } finally {
      const left = (this.#calls.get(key) ?? 1) - 1;
      if (left === 0) this.#calls.delete(key);
      else this.#calls.set(key, left);
    }
  }

  /** Of the call at hand; null outside of one. */
  get callId(): string | null {
    return this.#passages.getStore()?.callId ?? null;
  }

  /**
   * A session that the call at hand wants to start: what it may have, or a refusal. A promise only where a person is to be asked: what could be
   * answered at once must not wait for whatever else has come in.
   */
  admit(request: StartRequest, settings: Settings): StartRequest | Promise<StartRequest> {
    const passage = this.#passages.getStore();
    if (passage === undefined) return request; // nobody's call: the daemon's own doing
    passage.start = lazily(() => shownOf(request));
    if (passage.caller.kind === "person") return request;
    const policy = this.#policyOf(settings);
    const { caller, method } = passage;
    const sessions = this.#livingOf(caller);
    const subject = subjectOf(request, { caller: caller.kind, method, sessions, needs: needsOf(policy) });
    const decision = decide(policy, subject);
    passage.decision = decision;
    if (decision.verdict === "deny") throw denial(decision);
    const admitted = (): StartRequest => {
      this.#remember(caller, request.session_id);
      return within(request, settings);
    };
    return decision.verdict === "ask" ? this.#ask(passage, shownOf(request), decision).then(admitted) : admitted();
  }

  /** While the holder is at work: what will be written about the call at hand. */
  prepareRecord(): void {
    this.#passages.getStore()?.start?.();
  }

  /** How much longer a call may take because a person may have to be asked first. */
  patienceMs(effect: Effect): number {
    const { "policy.ask": ask, "policy.otherwise": otherwise, "timeouts.approval_ms": ms } = this.#settings.known;
    return effect === "exec" && (ask.length > 0 || otherwise === "ask") ? ms : 0;
  }

  async #ask(passage: Passage, shown: Shown, { rule, why }: Decision): Promise<void> {
    const { caller, method, signal } = passage;
    const question = { caller: caller.label, method, ...shown, rule };
    const ms = this.#settings.known["timeouts.approval_ms"];
    const { id, outcome } = await this.#desk.ask(question, ms, signal);
    passage.approval = { approval_id: id, approval: outcome };
    if (outcome === "approved") return;
    if (outcome === "canceled") throw new HoltError("ECANCELED", "the call was canceled while a person was asked");
    const how = outcome === "denied" ? "a person said no" : `nobody answered within ${ms} ms`;
    throw new HoltError("EDENIED", `not allowed by ${rule}: ${why}; ${how}`, {
      hint:
        outcome === "denied" ? "do not ask again for the same" : "`holt approvals` shows a person what waits for them",
      details: { rule, approval_id: id, outcome },
    });
  }

  #nextId(): string {
    return `${this.#epoch}-${(++this.#count).toString(36)}`;
  }

  #checkCall({ caller, params }: Passage, underWay: number): void {
    const settings = this.#settings.known;
    if (caller.kind === "person") return;
    const most = settings["policy.max_calls"];
    if (most !== null && underWay > most)
      throw tooMuch("policy.max_calls", `${underWay} calls of this caller are under way, at most ${most}`);
    const input = inputBytesIn(params);
    const limit = settings["policy.max_input_bytes"];
    if (input > limit) throw tooMuch("policy.max_input_bytes", `the input is ${input} bytes, at most ${limit}`);
  }

  /** What rules mean is looked up once a second: files come and go, and each start would pay for all of them. */
  #policyOf(settings: Settings): Policy {
    const now = performance.now();
    if (this.#policy?.settings !== settings || now - this.#policy.at > LOOK_UP_MS)
      this.#policy = { settings, at: now, policy: policyFrom(settings) };
    return this.#policy.policy;
  }

  #livingOf(caller: Caller): number {
    const started = this.#sessions.get(callerKey(caller)) ?? new Set();
    for (const id of started) if (!this.#lives(id)) started.delete(id);
    if (started.size === 0) this.#sessions.delete(callerKey(caller));
    return started.size;
  }

  #remember(caller: Caller, id: string | null): void {
    const started = this.#sessions.get(callerKey(caller)) ?? new Set();
    if (id !== null) this.#sessions.set(callerKey(caller), started.add(id));
  }
}

type Shown = Pick<Question, "argv" | "cwd" | "env_keys">;

/** The command as it would be run: who is asked must see it all. */
function shownOf({ argv, cwd, env }: StartRequest): Shown {
  const text = (word: string): string => textOf(Uint8Array.fromBase64(word));
  return {
    argv: argv.map(text),
    cwd: textOf(losslessBytes(cwd)),
    env_keys: environmentKeys(env.map((entry) => Uint8Array.fromBase64(entry))),
  };
}

function needsOf({ allow, deny, ask, otherwise, roots, env }: Policy): Needs {
  return {
    file: allow.length + deny.length + ask.length > 0 || (otherwise !== null && otherwise !== "allow"),
    directory: roots.length > 0,
    variables: env.length + allow.length > 0,
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function within(request: StartRequest, settings: Settings): StartRequest {
  const { timeout_ms, idle_timeout_ms, limits = null, max_output_bytes = DEFAULT_MAX_OUTPUT_BYTES } = request;
  return { ...request, ...bounded(boundsFrom(settings), { timeout_ms, idle_timeout_ms, limits, max_output_bytes }) };
}

function tooMuch(rule: string, why: string): HoltError {
  return denial({ verdict: "deny", rule, why, kind: "limit" });
}

function denial({ rule, why, kind }: Decision): HoltError {
  return new HoltError(kind === "limit" ? "ERLIMIT" : "EDENIED", `not allowed by ${rule}: ${why}`, {
    hint: "the policy is the user's: `holt config show --origin` says where it stands",
    details: { rule },
  });
}
