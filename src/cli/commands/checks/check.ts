/** Result of one check of `holt doctor`. */
export interface Check {
  name: string;
  /** `missing`: holt works without it; `wrong`: something does not work. */
  state: "ok" | "missing" | "wrong";
  found: string;
  /** What is lost, or how to fix it; null if ok. */
  costs: string | null;
}

export function ok(name: string, found: string): Check {
  return { name, state: "ok", found, costs: null };
}

export function missing(name: string, found: string, costs: string): Check {
  return { name, state: "missing", found, costs };
}

export function wrong(name: string, found: string, costs: string): Check {
  return { name, state: "wrong", found, costs };
}
