/** What can be waited for. Each kind has a file of its own beside this one, and a row in watch.ts. */
import type { InputState } from "../../../protocol/wire/holder-methods.ts";
import type { FollowItem } from "../../read/follow.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";

export type Condition =
  | { kind: "exit" }
  | { kind: "output" }
  /** Nothing printed for this long. */
  | { kind: "idle"; ms: number }
  /** In the text that it printed, without escape sequences, also across chunks. */
  | { kind: "match"; pattern: RegExp }
  /** In what its screen shows. */
  | { kind: "screen"; pattern: RegExp }
  /** The program waits for a person. */
  | { kind: "input" }
  /** The shell that the session is shows its prompt, and nobody has typed at it. */
  | { kind: "prompt" }
  /** One of its processes listens, on this port or, with null, on any. */
  | { kind: "port"; port: number | null };

export interface WaitResult {
  /** Which condition held; `exited` also when none did and none can any more. */
  outcome: "exited" | "data" | "idle" | "matched" | "screen_matched" | "input" | "prompt" | "port" | "timeout";
  /** Where to go on reading: past what was looked at. */
  cursor: number;
  /** What matched. */
  match: string | null;
  /** How it waits for input. */
  reason: InputState["waiting"];
  /** What that was told by, from the surest on. */
  evidence: InputState["evidence"];
  port: number | null;
  address: string | null;
  /** Of some of it, it could not be told whether it matches: the expression backtracks too much. */
  unjudged: boolean;
}

/** The cursor, where it is known better than by what came so far. */
export type MetCondition = Pick<WaitResult, "outcome"> & Partial<WaitResult>;

/** What a condition is watched with. */
export interface WatchContext {
  sessions: LocalSessions;
  id: string;
  /** It holds: the first that says so is the answer. */
  meet: (met: MetCondition) => void;
  /** Of something, whether it holds cannot be told: the wait goes on, and its answer says so. */
  unjudged: () => void;
  /** It can never be told. */
  fail: (error: unknown) => void;
}

export type NewOutput = Exclude<FollowItem, { type: "end" }>;

/** One condition of one wait. Disposed of, it wakes nobody any more. */
export interface Watcher extends Disposable {
  /** The session has ended: the last chance to say that it holds. */
  ended?(): Promise<void>;
  /** What came. The next comes when this has returned, so that whoever is slow holds back the stream and not memory. */
  take?(item: NewOutput): void | Promise<void>;
}
