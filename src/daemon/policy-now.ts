/** The policy as it counts now. What its rules mean is looked up once a second: files come and go, and each start would pay for all of them. */
import type { Settings } from "../config/keys.ts";
import type { Policy } from "../policy/policy.ts";
import type { CurrentSettings } from "./current-settings.ts";
import { policyFrom } from "./rules.ts";

const LOOK_UP_MS = 1000;

export class PolicyNow {
  readonly #settings: CurrentSettings;
  #known: { settings: Settings; at: number; policy: Policy } | null = null;

  constructor(settings: CurrentSettings) {
    this.#settings = settings;
  }

  /** Throws where the configuration is wrong. */
  get(): { settings: Settings; policy: Policy } {
    const settings = this.#settings.get();
    const now = performance.now();
    if (this.#known?.settings !== settings || now - this.#known.at > LOOK_UP_MS)
      this.#known = { settings, at: now, policy: policyFrom(settings) };
    return this.#known;
  }
}
