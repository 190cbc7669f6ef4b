import { callHolder } from "../../holder/holder-call.ts";
import type { WatchContext, Watcher } from "./condition.ts";
import { Looks } from "./checks.ts";

/** Also when it listened before anybody asked. */
export function watchPort(context: WatchContext, port: number | null): Watcher {
  return new Looks(context, async () => {
    const { ports } = await callHolder(context.sessions.get(context.id), "ports", {});
    const found = ports.find((candidate) => port === null || candidate.port === port);
    if (found !== undefined) context.meet({ outcome: "port", port: found.port, address: found.address });
    return null;
  });
}
