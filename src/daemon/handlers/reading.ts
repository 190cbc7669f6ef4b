import type { Handler } from "../handlers.ts";

export const list: Handler<"session.list"> = (params, { household }) => {
  const { states, name, project_id, limit, offset } = params;
  const all = household.sessions
    .list(states === undefined ? {} : { states })
    .filter((session) => name === undefined || session.name === name)
    .filter((session) => project_id === undefined || session.project_id === project_id);
  return { sessions: all.slice(offset, offset + limit), total_count: all.length };
};

export const get: Handler<"session.get"> = ({ session_id }, { household }) => household.sessions.get(session_id);

export const read: Handler<"session.read"> = ({ session_id, cursor, max_bytes, channel }, { household }) => {
  const { chunks, next_cursor, eof, truncated } = household.sessions.read(session_id, {
    cursor: Number(cursor),
    maxBytes: max_bytes,
    ...(channel === undefined ? {} : { channel }),
  });
  return {
    chunks: chunks.map(({ channel: from, offset, timestamp, bytes }) => ({
      channel: from,
      offset: String(offset),
      length: bytes.length,
      timestamp,
      data: bytes.toBase64(),
    })),
    next_cursor: String(next_cursor),
    eof,
    truncated,
  };
};
