/**
 * Admits each session that a call starts, from any method: applies the policy, limits and approval
 * before the holder gets the request.
 */
import { lazily } from "../../platform/native/lazily.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { entryStat } from "../../platform/fs/stat.ts";
import { withinBounds, type RequestedIdleTimeout, idleTimeoutMs } from "../../policy/bounds.ts";
import { decide, decideBySizes } from "../../policy/decide.ts";
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
import { withFileErrors } from "../files/fs-error.ts";
import type { EffectivePolicy, CurrentPolicy } from "../policy/current-policy.ts";
import { policyDenial } from "../calls/policy-denial.ts";
import type { ServedFiles } from "../files/served-files.ts";
import type { SessionSlots } from "./session-slots.ts";
import type { WebSlots } from "../web/web-slots.ts";
import { startSizesOf, type LookUps, policyInputFrom } from "../policy/policy-input.ts";

export interface AdmissionParts {
  policy: CurrentPolicy;
  gate: Pick<Gate, "current">;
  userApproval: UserApproval;
  /** Slots by caller. */
  slots: SessionSlots;
  webSlots: WebSlots;
  files: ServedFiles;
}

/** Frees the session's slot; called when its holder has gone or never started. */
type Release = () => void;

/** A start that waits for approval. */
interface PendingApproval {
  details: ApprovalDetails;
  decision: Decision;
  /** Fingerprint of the command's file when approval was requested. */
  file: string;
  /** Recomputes the policy input. */
  inputNow: (lookUps: LookUps) => PolicyInput;
  release: Release;
}

export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * Admits the session that the current call starts and completes its request with the policy's
   * values, or throws. Returns a promise only if the user must approve: an immediate answer must
   * not wait for other events.
   */
  admit(request: StartRequest): Release | Promise<Release> {
    const { gate, slots, webSlots } = this.#parts;
    const call = gate.current;
    const effective = this.#parts.policy.get();
    const { policy, lookUps, isRestricted } = effective;
    if (call === null) return () => {};
    const isPoliced = call.caller.kind !== "person" && policy.allow.length > 0;
    if (isPoliced) request.env = withPath(request.env);
    // The user's own command line has no defaults of the configuration.
    if (call.caller.kind !== "person" || call.caller.via === "http")
      request.idle_timeout_ms = idleTimeoutMs(effective.bounds, requestedIdleTimeout(request, call));
    const details = lazily(() => approvalDetails(request));
    call.start = details;
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
        const bySizes = decideBySizes(policy, startSizesOf(request, others));
        call.decision = bySizes;
        if (bySizes.verdict === "deny") throw policyDenial(bySizes);
        applyBounds(request, effective, caller, null);
        return release;
      }
      const by = { caller: caller.kind, method, isLine: isCommandLine(call.params), sessions: others };
      const input = policyInputFrom(request, { ...by, lookUps });
      const decision = decide(policy, input);
      call.decision = decision;
      if (decision.verdict === "deny") throw policyDenial(decision);
      this.#requireChannels(request);
      const file = lookUps.file ? (input.trail.at(-1) ?? "") : null;
      applyBounds(request, effective, caller, file);
      if (decision.verdict === "allow") return release;
      const inputNow = (then: LookUps): PolicyInput => policyInputFrom(request, { ...by, lookUps: then });
      return this.#approved(call, { details: details(), decision, file: fileFingerprint(input), inputNow, release });
    } catch (error) {
      release();
      throw error;
    }
  }

  async #approved(call: CallRecord, pending: PendingApproval): Promise<Release> {
    const { details, decision, release } = pending;
    try {
      await this.#parts.userApproval.ask(call, details, decision);
      this.#requireUnchanged(pending);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** An approval covers the file that was shown, under the current rules. */
  #requireUnchanged({ decision: { rule }, file, inputNow }: PendingApproval): void {
    const { policy, lookUps } = this.#parts.policy.get();
    const current = inputNow({ ...lookUps, file: true });
    const decision = decide(policy, current);
    if (decision.verdict === "deny") throw policyDenial(decision);
    if (fileFingerprint(current) !== file)
      throw policyDenial({ rule, why: "the command's file changed while the call waited for approval", kind: "rule" });
  }

  /** A followed file is read for the caller, whatever the command does. */
  #requireChannels({ channels = [], cwd }: StartRequest): void {
    for (const { source, path, name } of channels) {
      const file = path ?? name;
      if (source !== "file") continue;
      const absolute = file.startsWith("/") ? file : `${cwd}/${file}`;
      withFileErrors(absolute, () => this.#parts.files.require(absolute));
    }
  }
}

/** In methods that start a session, `command` is a command line for a shell. */
function isCommandLine(params: unknown): boolean {
  return typeof (params as { command?: unknown } | null | undefined)?.command === "string";
}

/** In the params null requests no timeout; in the request it also stands for no value. */
function requestedIdleTimeout(
  { idle_timeout_ms, size }: StartRequest,
  { params, caller }: CallRecord,
): RequestedIdleTimeout {
  const isNone = (params as { idle_timeout_ms?: unknown } | null | undefined)?.idle_timeout_ms === null;
  return {
    requested: isNone ? "none" : idle_timeout_ms,
    hasTerminal: size !== null,
    isOverHttp: caller.via === "http",
  };
}

/** The command as it will run: the user must see all of it. */
function approvalDetails({ argv, cwd, env }: StartRequest): ApprovalDetails {
  const text = (word: string): string => textOf(Uint8Array.fromBase64(word));
  return {
    argv: argv.map(text),
    cwd: textOf(losslessBytes(cwd)),
    env_keys: environmentKeys(env.map((entry) => Uint8Array.fromBase64(entry))),
  };
}

/** `file`: the path that was allowed; null: any. */
function applyBounds(
  request: StartRequest,
  { bounds, hasBounds }: EffectivePolicy,
  caller: Caller,
  file: string | null,
): void {
  request.started_by = startedBy(caller);
  request.file = file;
  if (!hasBounds && (request.limits ?? null) === null) return;
  const { timeout_ms, limits = null, linger = false, max_output_bytes = DEFAULT_MAX_OUTPUT_BYTES } = request;
  Object.assign(request, withinBounds(bounds, { timeout_ms, limits, max_output_bytes, linger }));
}

/** Identifies the file and its content: path chain, inode, size and modification time. */
function fileFingerprint({ trail }: PolicyInput): string {
  const real = trail.at(-1);
  const stat = real === undefined ? null : entryStat(real);
  return JSON.stringify([...trail, stat?.dev, stat?.ino, stat?.size, stat?.mtimeMs]);
}
