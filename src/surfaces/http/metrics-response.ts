/** The response to a metrics scraper. */
import { safeHeaders, methodNotAllowed } from "./responses.ts";
import type { HttpBackend } from "./backend.ts";

export const METRICS_PATH = "/metrics";

export async function metricsResponse({ method }: Request, backend: HttpBackend): Promise<Response> {
  if (method !== "GET" && method !== "HEAD") return methodNotAllowed(method, ["GET"]);
  const headers = { ...safeHeaders(), "content-type": "text/plain; version=0.0.4; charset=utf-8" };
  return new Response(await backend.metrics(), { headers });
}
