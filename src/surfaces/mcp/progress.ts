/** While a call takes long, whoever asked for it hears that it goes on: some hosts give up on a call that says nothing. */
import type { ServerContext } from "@modelcontextprotocol/server";

const EVERY_MS = 5000;

export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const began = performance.now();
  let progress = 0;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const params = { progressToken, progress: ++progress, message: `going on for ${seconds} s` };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}); // who has gone hears nothing
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
