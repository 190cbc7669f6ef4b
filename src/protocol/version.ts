/** Put in by the build from package.json. */
declare const HOLT_VERSION: string;

export const VERSION: string = typeof HOLT_VERSION === "string" ? HOLT_VERSION : "0.0.0-dev";
