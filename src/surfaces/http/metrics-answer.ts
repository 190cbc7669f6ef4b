/** What a scraper is answered. */
import { safeHeaders, wrongMethod } from "./envelope.ts";
import type { House } from "./backend.ts";

export const METRICS_PATH = "/metrics";

export async function metricsAnswer({ method }: Request, house: House): Promise<Response> {
  if (method !== "GET" && method !== "HEAD") return wrongMethod(method, ["GET"]);
  const headers = { ...safeHeaders(), "content-type": "text/plain; version=0.0.4; charset=utf-8" };
  return new Response(await house.metrics(), { headers });
}
