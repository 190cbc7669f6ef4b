/**
 * Serves /metrics alone, without a token, where metrics.listen says. It exposes counts by method
 * and state.
 */
import type { Settings } from "../../config/keys.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { internalError, errorResponse } from "../../surfaces/http/responses.ts";
import { OriginGuard, hostOf } from "../../surfaces/http/origin-guard.ts";
import type { HttpBackend } from "../../surfaces/http/backend.ts";
import { METRICS_PATH, metricsResponse } from "../../surfaces/http/metrics-response.ts";
import { requestIdOf, withRequestId } from "../../surfaces/http/request-id.ts";
import { listenAt, listening, REUSE_PORT } from "./listening.ts";

/** Limit for slow requests. */
const IDLE_SECONDS = 10;

export class MetricsServer implements Disposable {
  readonly url: string;
  readonly #server: Bun.Server<undefined>;

  constructor(backend: HttpBackend, settings: Settings) {
    const listen = listenAt("metrics.listen", settings, null);
    let guard: OriginGuard | null = null;
    this.#server = listening(listen, (port) =>
      Bun.serve({
        hostname: listen.address,
        port,
        idleTimeout: IDLE_SECONDS,
        maxRequestBodySize: 0,
        development: false,
        reusePort: REUSE_PORT,
        fetch: async (request) =>
          withRequestId(
            await answerTo(request, guard?.refuse(request) ?? null, backend),
            requestIdOf(request, backend),
          ),
        error: () => withRequestId(internalError(), backend.newCorrelationId()),
      }),
    );
    const port = this.#server.port ?? listen.port;
    guard = new OriginGuard({ address: listen.address, port, tls: false, hosts: () => backend.settings.hosts });
    this.url = `http://${hostOf(listen.address)}:${port}${METRICS_PATH}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

async function answerTo(request: Request, refusal: HoltError | null, backend: HttpBackend): Promise<Response> {
  if (refusal !== null) return errorResponse(refusal);
  if (new URL(request.url).pathname !== METRICS_PATH)
    return errorResponse(new HoltError("ENOTFOUND", "not found", { hint: `only ${METRICS_PATH} is served here` }));
  return metricsResponse(request, backend);
}
