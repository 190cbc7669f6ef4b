/** The files of the page (web/), as scripts/page.ts made them. */
import type { PageFile } from "../surfaces/http/page-files.ts";
import { MADE } from "./made.ts";

export function page(): ReadonlyMap<string, PageFile> {
  return new Map(
    Object.entries(MADE).map(([path, { type, gzip, isLasting }]) => [
      path,
      { type, gzip: Uint8Array.fromBase64(gzip), isLasting },
    ]),
  );
}
