/** Requests per second over HTTP. */
import { compare, type Contestant } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";
import { bareServer, holtWeb } from "./web-servers.ts";

const REQUESTS = 3000;
const AT_ONCE = 16;

export async function httpRate(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt, { HOLT_HTTP_RATE: "1000000" });
  const web = await holtWeb(stage);
  await using bare = await bareServer(stage, ["true"]);
  const headers = { authorization: `Bearer ${web.token}` };
  const results = await compare({
    "a bare `Bun.serve`": rate(`http://127.0.0.1:${bare.port}/`, { method: "POST" }),
    "holt, /healthz": rate(`${web.url}healthz`, {}),
    "holt, health.info": rate(`${web.url}api/v1/health/info`, { method: "POST", headers }),
  });
  return [
    standings(
      "Requests over HTTP",
      `${REQUESTS} requests, ${AT_ONCE} at a time, of one client process on loopback. /healthz is behind the check of Host and Origin, health.info behind key, rate, policy and audit too.`,
      results,
      ({ ms }) => `${Math.round(REQUESTS / (ms / 1000)).toLocaleString("en")}/s`,
    ),
  ];
}

function rate(url: string, init: RequestInit): Contestant {
  return async () => {
    let left = REQUESTS;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) {
          const answer = await fetch(url, init);
          await answer.bytes();
          if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
        }
      }),
    );
    return { ms: performance.now() - started };
  };
}
