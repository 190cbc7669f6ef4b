/** The conditions of a wait. watch.ts maps each kind to its watcher. */
import type { InputState } from "../../../protocol/wire/holder-methods.ts";
import type { FollowItem } from "../../read/follow.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";

export type Condition =
  | { kind: "exit" }
  | { kind: "output" }
  /** No output for this long. */
  | { kind: "idle"; ms: number }
  /** In the output without escape sequences, also across chunks. */
  | { kind: "match"; pattern: RegExp }
  /** In the text of the screen. */
  | { kind: "screen"; pattern: RegExp }
  /** The program waits for input. */
  | { kind: "input" }
  /** The session's shell shows its prompt, and its input line is empty. */
  | { kind: "prompt" }
  /** One of the session's processes listens on this port, or with null on any. */
  | { kind: "port"; port: number | null };

export interface WaitResult {
  /** The condition that held. `exited` also if the session ended before any condition held. */
  outcome: "exited" | "data" | "idle" | "matched" | "screen_matched" | "input" | "prompt" | "port" | "timeout";
  /** The cursor from which to go on reading. */
  cursor: number;
  /** The matched text. */
  match: string | null;
  /** How the program waits for input. */
  reason: InputState["waiting"];
  /** The evidence for `reason`, the most reliable first. */
  evidence: InputState["evidence"];
  port: number | null;
  address: string | null;
  /** True if some text could not be matched because the expression backtracks too much. */
  unjudged: boolean;
}

/** Has a cursor if the condition knows it better than the stream does. */
export type MetCondition = Pick<WaitResult, "outcome"> & Partial<WaitResult>;

/** The wait that a condition reports to. */
export interface WatchContext {
  sessions: LocalSessions;
  id: string;
  /** Reports that the condition holds. The first report is the answer. */
  meet: (met: MetCondition) => void;
  /** Reports that some text could not be matched. The wait goes on. */
  unjudged: () => void;
  /** Ends the wait with an error. */
  fail: (error: unknown) => void;
}

export type NewOutput = Exclude<FollowItem, { type: "end" }>;

/** One condition of one wait. After its disposal it reports nothing. */
export interface Watcher extends Disposable {
  /** Called when the session has ended: the last chance to report that the condition holds. */
  ended?(): Promise<void>;
  /**
   * Called for new output. The next item waits for its return, so a slow condition holds back the
   * stream.
   */
  take?(item: NewOutput): void | Promise<void>;
}
