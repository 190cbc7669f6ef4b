/** Serves the page's files, which are part of the executable. */
import { HoltError } from "../../protocol/types/errors.ts";
import { errorResponse, OWN_STATUSES, safeHeaders } from "./responses.ts";

/** Allows only the page's own scripts, styles and connections, and images that it generates. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export interface PageFile {
  type: string;
  /** Compressed with gzip, which every browser supports. */
  gzip: Uint8Array;
  /** The file's name contains a hash of its contents, so it is cached forever. */
  isLasting: boolean;
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** Null when the page has no such file. */
  answer({ method, headers: requestHeaders }: Request, path: string): Response | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    if (method !== "GET" && method !== "HEAD")
      return errorResponse(
        new HoltError("EBADARGS", `method not allowed: ${method}`, { hint: "use GET" }),
        OWN_STATUSES.method,
        {
          allow: "GET",
        },
      );
    const isPlain = !/\bgzip\b/.test(requestHeaders.get("accept-encoding") ?? "");
    const bytes = isPlain ? Bun.gunzipSync(new Uint8Array(file.gzip)) : file.gzip;
    const headers = {
      ...safeHeaders(POLICY),
      "content-type": file.type,
      ...(isPlain ? {} : { "content-encoding": "gzip" }),
      vary: "accept-encoding",
      "cache-control": file.isLasting ? "public, max-age=31536000, immutable" : "no-cache",
      "content-length": String(bytes.length),
    };
    return new Response(method === "HEAD" ? null : new Uint8Array(bytes), { headers });
  }
}
