/** How many sessions that were started over HTTP live, whichever way they were started there: as many as http.max_sessions says. */
import { HoltError } from "../../protocol/types/errors.ts";
import type { StartedBy } from "../../protocol/types/session.ts";
import { type Caller, startedBy } from "../calls/caller.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { SessionSlots } from "../sessions/session-slots.ts";
import { isOverHttp } from "./http-backend.ts";

const RULE = "http.max_sessions";
/** All of HTTP is one: a key more is no place more. */
const WEB = "http";
const RETRY_S = 5;

export interface WebSlot {
  /** Of the session: how the next daemon knows that it counts. */
  record: { started_by?: StartedBy };
  release: () => void;
}

/** Null where a session was started elsewhere. */
export function webOf(by: StartedBy): string | null {
  return isOverHttp(by) ? WEB : null;
}

const ELSEWHERE: WebSlot = { record: {}, release() {} };

export class WebSlots {
  readonly #slots: SessionSlots;
  readonly #settings: CurrentSettings;

  constructor(slots: SessionSlots, settings: CurrentSettings) {
    this.#slots = slots;
    this.#settings = settings;
  }

  take(caller: Caller): WebSlot {
    if (caller.via !== "http") return ELSEWHERE;
    const most = this.#settings.known[RULE];
    const { others, release } = this.#slots.take(WEB, true);
    if (others < most) return { record: { started_by: startedBy(caller) }, release };
    release();
    throw new HoltError("ERLIMIT", `${others} sessions live that were started over HTTP, at most ${most} may`, {
      hint: `stop one, or raise ${RULE}`,
      details: { rule: RULE, retry_after_s: RETRY_S },
    });
  }
}
