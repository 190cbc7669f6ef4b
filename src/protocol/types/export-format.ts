/** Formats of an exported session. `asciicast` is version 3 of that format. */
export const EXPORT_FORMATS = ["asciicast", "asciicast-v2", "text", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
