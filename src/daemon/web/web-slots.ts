/** Limits the running sessions that were started over HTTP, by any method, to http.max_sessions. */
import { HoltError } from "../../protocol/types/errors.ts";
import type { StartedBy } from "../../protocol/types/session.ts";
import { type Caller, startedBy } from "../calls/caller.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { SessionSlots } from "../sessions/session-slots.ts";
import { isOverHttp } from "./http-backend.ts";

const RULE = "http.max_sessions";
/** One slot key for all of HTTP: more tokens are no more slots. */
const WEB = "http";
const RETRY_S = 5;

export interface WebSlot {
  /** Goes into the session's record, so that the next daemon counts it too. */
  record: { started_by?: StartedBy };
  release: () => void;
}

/** Null if the session was not started over HTTP. */
export function httpSlotKey(by: StartedBy): string | null {
  return isOverHttp(by) ? WEB : null;
}

const NOT_LIMITED: WebSlot = { record: {}, release() {} };

export class WebSlots {
  readonly #slots: SessionSlots;
  readonly #settings: CurrentSettings;

  constructor(slots: SessionSlots, settings: CurrentSettings) {
    this.#slots = slots;
    this.#settings = settings;
  }

  take(caller: Caller): WebSlot {
    if (caller.via !== "http") return NOT_LIMITED;
    const max = this.#settings.lastValid[RULE];
    const { others, release } = this.#slots.take(WEB, true);
    if (others < max) return { record: { started_by: startedBy(caller) }, release };
    release();
    throw new HoltError("ERLIMIT", `too many running sessions started over HTTP: ${others}, at most ${max}`, {
      hint: `stop one, or raise ${RULE}`,
      details: { rule: RULE, retry_after_s: RETRY_S },
    });
  }
}
