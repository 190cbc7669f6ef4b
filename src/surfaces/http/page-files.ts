/** The page: files that are part of the executable. Nothing is fetched from anywhere else. */
import { HoltError } from "../../protocol/types/errors.ts";
import { errorResponse, OWN_STATUSES, safeHeaders } from "./responses.ts";

/** Of the page itself: its own scripts and styles, its own connections, and images that it makes. */
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
  /** Compressed with gzip, which every browser takes. */
  gzip: Uint8Array;
  /** Its name changes with what is in it. */
  isLasting: boolean;
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** Null where the page has no such file. */
  answer({ method, headers: asked }: Request, path: string): Response | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    if (method !== "GET" && method !== "HEAD")
      return errorResponse(
        new HoltError("EBADARGS", `${method} is not for this`, { hint: "use GET" }),
        OWN_STATUSES.method,
        {
          allow: "GET",
        },
      );
    const isPlain = !/\bgzip\b/.test(asked.get("accept-encoding") ?? "");
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
