/** How output can be read. */
import { BYTES_PER_TOKEN } from "./tokens.ts";

export const READ_VIEWS = ["raw", "text", "screen"] as const;
export type ReadView = (typeof READ_VIEWS)[number];

/** Where a page of text is cut when not everything fits. */
export const CUTS = ["end", "middle", "start"] as const;
export type Cut = (typeof CUTS)[number];

/** Less would hardly hold a line and the note on what is missing. */
export const MIN_TOKENS = 100;
export const MIN_TEXT_BYTES = MIN_TOKENS * BYTES_PER_TOKEN;
export const DEFAULT_MATCHES = 100;
export const MAX_MATCHES = 10_000;
/** Lines around one that matches. */
export const MAX_CONTEXT = 1000;
