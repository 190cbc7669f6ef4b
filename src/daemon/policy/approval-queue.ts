/** Makes a call wait for the user's approval until an answer, the timeout, or cancellation. */
import { watch } from "node:fs";
import { type Answer, type Approval, Approvals } from "../../client/sessions/approvals.ts";
import { newSessionId } from "../../protocol/types/session-id.ts";
import type { Layout } from "../../transcript/layout.ts";

/** The part of the call that the user sees. */
export type ApprovalDetails = Pick<Approval, "argv" | "cwd" | "env_keys" | "session_id">;
export type ApprovalRequest = ApprovalDetails & Pick<Approval, "caller" | "method" | "rule">;

export interface ApprovalOutcome {
  id: string;
  outcome: Answer | "timeout" | "canceled";
}

/** Polling interval for file systems that report no changes. */
const POLL_MS = 1000;

export class ApprovalQueue {
  readonly #approvals: Approvals;

  constructor(layout: Layout) {
    this.#approvals = new Approvals(layout);
  }

  async ask(question: ApprovalRequest, timeoutMs: number, signal: AbortSignal): Promise<ApprovalOutcome> {
    const id = newSessionId();
    const now = Date.now();
    this.#approvals.ask({
      approval_id: id,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + timeoutMs).toISOString(),
      ...question,
      daemon_pid: process.pid,
    });
    try {
      return { id, outcome: await this.#answer(id, timeoutMs, signal) };
    } finally {
      this.#approvals.withdraw(id);
    }
  }

  #answer(id: string, timeoutMs: number, signal: AbortSignal): Promise<ApprovalOutcome["outcome"]> {
    const { promise, resolve } = Promise.withResolvers<ApprovalOutcome["outcome"]>();
    const check = (): void => {
      const answer = this.#approvals.answerTo(id);
      if (answer !== null) resolve(answer);
    };
    const canceled = (): void => resolve("canceled");
    const watcher = watch(this.#approvals.directory, check);
    const timers = [setInterval(check, POLL_MS), setTimeout(() => resolve("timeout"), timeoutMs)];
    signal.addEventListener("abort", canceled, { once: true });
    if (signal.aborted) canceled();
    return promise.finally(() => {
      watcher.close();
      timers.forEach(clearTimeout);
      signal.removeEventListener("abort", canceled);
    });
  }
}
