/**
 * What stands where sessions start. Every session that a call starts comes here, with all that is known by then, whichever method starts it: a
 * method cannot forget to ask.
 */
import { lazily } from "../../platform/native/lazily.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { entryStat } from "../../platform/fs/stat.ts";
import { bounded, type RequestedIdleTimeout, idleTimeoutMs } from "../../policy/bounds.ts";
import { decide, decideByAmount } from "../../policy/decide.ts";
import type { Decision, PolicyInput } from "../../policy/policy.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { DEFAULT_MAX_OUTPUT_BYTES } from "../../protocol/types/session.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import type { ApprovalDetails } from "../policy/approval-queue.ts";
import type { UserApproval } from "../policy/user-approval.ts";
import { environmentKeys } from "../../platform/process/raw-arguments.ts";
import { type Caller, startedBy } from "../calls/caller.ts";
import { withPath } from "./environment.ts";
import type { Gate } from "../calls/gate.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { about } from "../files/fs-error.ts";
import type { EffectivePolicy, CurrentPolicy } from "../policy/current-policy.ts";
import { denial } from "../calls/policy-denial.ts";
import type { ServedFiles } from "../files/served-files.ts";
import type { SessionSlots } from "./session-slots.ts";
import type { WebSlots } from "../web/web-slots.ts";
import { amountsOf, type LookUps, policyInputFrom } from "../policy/policy-input.ts";

export interface AdmissionParts {
  policy: CurrentPolicy;
  gate: Pick<Gate, "current">;
  userApproval: UserApproval;
  /** By caller. */
  slots: SessionSlots;
  webSlots: WebSlots;
  files: ServedFiles;
}

/** To be called when its holder has gone, or never came. */
type Release = () => void;

/** And what is had once it is answered. */
interface PendingApproval {
  shown: ApprovalDetails;
  decision: Decision;
  /** That the command was when it was asked. */
  file: string;
  /** What it is about, as it is by then. */
  again: (needs: LookUps) => PolicyInput;
  release: Release;
}

export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * Admits a session that the call at hand wants to start, and completes its request with what the policy sets; or refuses it. A promise only
   * where a person is to be asked: what could be answered at once must not wait for whatever else has come in.
   */
  admit(request: StartRequest): Release | Promise<Release> {
    const { gate, slots, webSlots } = this.#parts;
    const call = gate.current;
    const effective = this.#parts.policy.get();
    const { policy, needs, isRestricted } = effective;
    if (call === null) return () => {};
    const isPoliced = call.caller.kind !== "person" && policy.allow.length > 0;
    if (isPoliced) request.env = withPath(request.env);
    // A person at the command line has no defaults but those of the command line.
    if (call.caller.kind !== "person" || call.caller.via === "http")
      request.idle_timeout_ms = idleTimeoutMs(effective.bounds, requestedIdleTimeout(request, call));
    const shown = lazily(() => approvalDetails(request));
    call.start = shown;
    const { caller, method } = call;
    const web = webSlots.take(caller);
    if (caller.kind === "person") {
      Object.assign(request, web.record);
      return web.release;
    }
    const { others, release: releaseOwn } = slots.take(caller.key, policy.maxSessions !== null);
    const release = (): void => {
      releaseOwn();
      web.release();
    };
    try {
      if (!isRestricted) {
        const byAmount = decideByAmount(policy, amountsOf(request, others));
        call.decision = byAmount;
        if (byAmount.verdict === "deny") throw denial(byAmount);
        allow(request, effective, caller, null);
        return release;
      }
      const by = { caller: caller.kind, method, isLine: hasLine(call.params), sessions: others };
      const subject = policyInputFrom(request, { ...by, needs });
      const decision = decide(policy, subject);
      call.decision = decision;
      if (decision.verdict === "deny") throw denial(decision);
      this.#requireChannels(request);
      const file = needs.file ? (subject.trail.at(-1) ?? "") : null;
      allow(request, effective, caller, file);
      if (decision.verdict === "allow") return release;
      const again = (then: LookUps): PolicyInput => policyInputFrom(request, { ...by, needs: then });
      return this.#asked(call, { shown: shown(), decision, file: fileFingerprint(subject), again, release });
    } catch (error) {
      release();
      throw error;
    }
  }

  async #asked(call: CallRecord, question: PendingApproval): Promise<Release> {
    const { shown, decision, release } = question;
    try {
      await this.#parts.userApproval.ask(call, shown, decision);
      this.#requireStill(question);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A yes is for the file that was meant when it was asked for, and does not outlast the rules. What the rules of now ask for is looked up for them. */
  #requireStill({ decision: { rule }, file, again }: PendingApproval): void {
    const { policy, needs } = this.#parts.policy.get();
    const now = again({ ...needs, file: true });
    const decision = decide(policy, now);
    if (decision.verdict === "deny") throw denial(decision);
    if (fileFingerprint(now) !== file)
      throw denial({ rule, why: "the command's file was changed while a person was asked", kind: "rule" });
  }

  /** A file that is followed is read for the caller, whatever the command does. */
  #requireChannels({ channels = [], cwd }: StartRequest): void {
    for (const { source, path, name } of channels) {
      const file = path ?? name;
      if (source !== "file") continue;
      const absolute = file.startsWith("/") ? file : `${cwd}/${file}`;
      about(absolute, () => this.#parts.files.require(absolute));
    }
  }
}

/** Of what starts a session, `command` is a line for a shell wherever there is one. */
function hasLine(params: unknown): boolean {
  return typeof (params as { command?: unknown } | null | undefined)?.command === "string";
}

/** Null in the params is a wish for none; in the request it is also what no wish at all becomes. */
function requestedIdleTimeout(
  { idle_timeout_ms, size }: StartRequest,
  { params, caller }: CallRecord,
): RequestedIdleTimeout {
  const isNamed = (params as { idle_timeout_ms?: unknown } | null | undefined)?.idle_timeout_ms === null;
  return {
    named: isNamed ? "none" : idle_timeout_ms,
    hasTerminal: size !== null,
    isOverHttp: caller.via === "http",
  };
}

/** The command as it would be run: who is asked must see it all. */
function approvalDetails({ argv, cwd, env }: StartRequest): ApprovalDetails {
  const text = (word: string): string => textOf(Uint8Array.fromBase64(word));
  return {
    argv: argv.map(text),
    cwd: textOf(losslessBytes(cwd)),
    env_keys: environmentKeys(env.map((entry) => Uint8Array.fromBase64(entry))),
  };
}

/** `file`: that it was allowed as; null: whichever it is. */
function allow(
  request: StartRequest,
  { bounds, isBounding }: EffectivePolicy,
  caller: Caller,
  file: string | null,
): void {
  request.started_by = startedBy(caller);
  request.file = file;
  if (!isBounding && (request.limits ?? null) === null) return;
  const { timeout_ms, limits = null, linger = false, max_output_bytes = DEFAULT_MAX_OUTPUT_BYTES } = request;
  Object.assign(request, bounded(bounds, { timeout_ms, limits, max_output_bytes, linger }));
}

/** Which file that is, and whether anybody has written to it: its way there, its place on the disk, its size and its time. */
function fileFingerprint({ trail }: PolicyInput): string {
  const real = trail.at(-1);
  const stat = real === undefined ? null : entryStat(real);
  return JSON.stringify([...trail, stat?.dev, stat?.ino, stat?.size, stat?.mtimeMs]);
}
