/** The last bytes of a session's output, filtered for viewers: the start of `replay=raw`. */
import { joined } from "../../protocol/types/bytes.ts";
import { safeStart } from "../../terminal/parser/safe-start.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";

export interface RawReplay {
  replay: Uint8Array;
  /** The cursor from which to follow. */
  cursor: number;
}

export function rawReplay(sessions: LocalSessions, id: string, maxBytes: number): RawReplay {
  using reader = sessions.reader(id);
  const end = reader.end();
  const from = Math.max(0, end - maxBytes);
  const { chunks } = reader.read({ cursor: from, maxBytes: end - from });
  const start = maxBytes === 0 ? end : safeStart(chunks, from);
  const filter = new ViewerFilter({ clipboard: false });
  const parts: Uint8Array[] = [];
  let cursor = start;
  for (const { offset, channel, bytes } of chunks) {
    if (offset + bytes.length <= start) continue;
    const own = bytes.subarray(Math.max(0, start - offset));
    parts.push(channel === "pty" ? filter.push(own).slice() : own);
    cursor = offset + bytes.length - filter.heldBytes;
  }
  return { replay: joined(parts), cursor };
}
