/**
 * The effective policy. The files that rules name are resolved at most once a second, as they come
 * and go; a policy without such rules stays valid as long as its settings.
 */
import type { Settings } from "../../config/keys.ts";
import { type Bounds, hasBounds } from "../../policy/bounds.ts";
import type { Policy } from "../../policy/policy.ts";
import type { CurrentSettings } from "../current-settings.ts";
import { boundsFrom, isRestricted, policyFrom } from "./rules.ts";
import type { LookUps } from "./policy-input.ts";

const VALID_MS = 1000;

export interface EffectivePolicy {
  settings: Settings;
  policy: Policy;
  bounds: Bounds;
  /** The lookups that a decision needs. */
  lookUps: LookUps;
  isRestricted: boolean;
  /** True if any limit is configured. */
  hasBounds: boolean;
}

export class CurrentPolicy {
  readonly #settings: CurrentSettings;
  #known: { effective: EffectivePolicy; until: number } | null = null;

  constructor(settings: CurrentSettings) {
    this.#settings = settings;
  }

  /** Throws if the configuration is invalid. */
  get(): EffectivePolicy {
    const settings = this.#settings.get();
    if (this.#known?.effective.settings !== settings || performance.now() > this.#known.until)
      this.#known = resolved(settings);
    return this.#known.effective;
  }
}

function resolved(settings: Settings): { effective: EffectivePolicy; until: number } {
  const policy = policyFrom(settings);
  const bounds = boundsFrom(settings);
  const { allow, deny, ask, roots } = policy;
  const named = allow.length + deny.length + ask.length + roots.length;
  return {
    effective: {
      settings,
      policy,
      bounds,
      lookUps: lookUpsOf(policy),
      isRestricted: isRestricted(settings),
      hasBounds: hasBounds(bounds),
    },
    until: named === 0 ? Infinity : performance.now() + VALID_MS,
  };
}

function lookUpsOf({ allow, deny, ask, otherwise, roots, env }: Policy): LookUps {
  return {
    file: allow.length + deny.length + ask.length > 0 || (otherwise !== null && otherwise !== "allow"),
    directory: roots.length > 0,
    variables: env.length + allow.length > 0,
  };
}
