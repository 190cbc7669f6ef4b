/**
 * The policy as it counts now, and what it makes of a start. What its rules mean is looked up once a second: files come and go, and each start would pay for
 * all of them. Where no rule names anything there is nothing to look up, and it holds for as long as the settings do.
 */
import type { Settings } from "../../config/keys.ts";
import { type Bounds, isBounding } from "../../policy/bounds.ts";
import type { Policy } from "../../policy/policy.ts";
import type { CurrentSettings } from "../current-settings.ts";
import { boundsFrom, isRestricted, policyFrom } from "./rules.ts";
import type { LookUps } from "./policy-input.ts";

const LOOK_UP_MS = 1000;

export interface EffectivePolicy {
  settings: Settings;
  policy: Policy;
  bounds: Bounds;
  /** What is to be looked up of a command for it. */
  needs: LookUps;
  isRestricted: boolean;
  /** Whether any bound is set. */
  isBounding: boolean;
}

export class CurrentPolicy {
  readonly #settings: CurrentSettings;
  #known: { effective: EffectivePolicy; until: number } | null = null;

  constructor(settings: CurrentSettings) {
    this.#settings = settings;
  }

  /** Throws where the configuration is wrong. */
  get(): EffectivePolicy {
    const settings = this.#settings.get();
    if (this.#known?.effective.settings !== settings || performance.now() > this.#known.until)
      this.#known = lookedUp(settings);
    return this.#known.effective;
  }
}

function lookedUp(settings: Settings): { effective: EffectivePolicy; until: number } {
  const policy = policyFrom(settings);
  const bounds = boundsFrom(settings);
  const { allow, deny, ask, roots } = policy;
  const named = allow.length + deny.length + ask.length + roots.length;
  return {
    effective: {
      settings,
      policy,
      bounds,
      needs: needsOf(policy),
      isRestricted: isRestricted(settings),
      isBounding: isBounding(bounds),
    },
    until: named === 0 ? Infinity : performance.now() + LOOK_UP_MS,
  };
}

function needsOf({ allow, deny, ask, otherwise, roots, env }: Policy): LookUps {
  return {
    file: allow.length + deny.length + ask.length > 0 || (otherwise !== null && otherwise !== "allow"),
    directory: roots.length > 0,
    variables: env.length + allow.length > 0,
  };
}
