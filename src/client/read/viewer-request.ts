import type { AttachRequest } from "../../protocol/wire/attach.ts";

/** To look at a session's screen, once or for as long as it takes, without being in anybody's way. */
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
