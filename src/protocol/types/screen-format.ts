/** Formats of a rendered screen. */
export const SCREEN_FORMATS = ["text", "ansi", "html", "svg"] as const;
export type ScreenFormat = (typeof SCREEN_FORMATS)[number];
