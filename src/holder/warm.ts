/**
 * A holder that waits for its session. Everything that can be done before the request is known is done while nobody waits; then it blocks
 * in read(2) on the daemon's channel, whose end is its own: a daemon that dies, however it dies, leaves no holder without a session behind.
 */
import { closeQuietly, movedUp } from "../platform/descriptors.ts";
import { REQUEST_FD, REPLY_FD, type StartRequest } from "../protocol/start-request.ts";
import { readLine, type Starter, tell } from "./starter.ts";

export function warmStarter(): Starter {
  const channel = movedUp(REQUEST_FD); // no child's
  closeQuietly(REPLY_FD);
  return {
    request() {
      const line = readLine(channel);
      return line === null ? null : (JSON.parse(line) as StartRequest);
    },
    reply: (answer) => tell(channel, answer),
    ended: (sessionId) => tell(channel, { ended: sessionId }),
  };
}
