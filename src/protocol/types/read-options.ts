/** Options of reading output: views, cuts and their bounds. */
import { BYTES_PER_TOKEN } from "./tokens.ts";

export const READ_VIEWS = ["raw", "text", "screen"] as const;
export type ReadView = (typeof READ_VIEWS)[number];

/**
 * The part of a text that is left out when not all of it fits into a page: "start" keeps the last
 * lines, "middle" lines from both ends.
 */
export const CUTS = ["end", "middle", "start"] as const;
export type Cut = (typeof CUTS)[number];

/** A smaller page would hardly hold one line and the note on omitted lines. */
export const MIN_TOKENS = 100;
export const MIN_TEXT_BYTES = MIN_TOKENS * BYTES_PER_TOKEN;
export const DEFAULT_MATCHES = 100;
export const MAX_MATCHES = 10_000;
/** Context lines around a match. */
export const MAX_CONTEXT = 1000;
