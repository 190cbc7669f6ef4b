/** The attach request of a client that only looks at the screen. */
import type { AttachRequest } from "../../protocol/wire/attach.ts";

/** Passive: does not affect the session's size or the other clients. */
export function viewerRequest(label: string, { once }: { once: boolean }): AttachRequest {
  return {
    role: "viewer",
    replay: "screen",
    size: null,
    scrollback: 0,
    raw_bytes: 0,
    replaces: false,
    takeover: false,
    once,
    passive: true,
    pid: process.pid,
    label,
  };
}
