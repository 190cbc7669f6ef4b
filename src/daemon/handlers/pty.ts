/** Handlers of the pty.* methods: sessions on a terminal. */
import { endSession } from "../../client/sessions/end-session.ts";
import { callHolder } from "../../client/holder/holder-call.ts";
import { withMayArriveHint, writtenCursor } from "../../client/sessions/send-input.ts";
import { type StrippedChunk, stripSequences } from "../../client/read/strip-sequences.ts";
import { waitForOutput } from "../../client/wait/wait-until.ts";
import { requireInputFits } from "../../protocol/wire/input-limit.ts";
import type { Parsed } from "../../protocol/methods/table.schema.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext } from "../daemon-context.ts";
import { startRequestFrom } from "../sessions/start-request-from.ts";
import { exitStatus } from "../calls/exit-status.ts";

/** Interactive shells ignore SIGTERM, but programs end when their terminal hangs up. */
const HANG_UP = { method: "stop", params: { signal: "SIGHUP", grace_ms: 2000 } } as const;
/** An escape sequence may exceed the requested size. */
const MAX_SEQUENCE_BYTES = 1024 * 1024;

export const open: Handler<"pty.open"> = async (params, { daemon }) => {
  const { rows, cols, argv } = params;
  const shell = argv === undefined ? { command: "" } : {};
  const request = startRequestFrom({ ...params, ...shell, pty: { rows, cols } }, daemon.settings);
  const { session_id, started_at, created_at } = (await daemon.pool.start(request)).meta;
  return { id: session_id, started_at: started_at ?? created_at };
};

export const send: Handler<"pty.send"> = async ({ id, data }, { daemon: { sessions }, signal: canceled }) => {
  const bytes = requireInputFits(Uint8Array.fromBase64(data));
  const before = writtenCursor(sessions, id);
  const input = { data: bytes.toBase64() };
  const typed = callHolder(sessions.get(id), "input", input, { signal: canceled });
  const { bytes_written, cursor = before } = await typed.catch((error: unknown) => {
    throw withMayArriveHint(error);
  });
  return { bytes_written, next_cursor: String(cursor) };
};

export const read: Handler<"pty.read"> = async (params, context) => {
  const { chunks, closed } = await chunksOf(params, context);
  return {
    chunks: chunks.map(({ end, channel, bytes, timestamp }) => ({
      seq: end,
      stream: channel === "stderr" ? ("stderr" as const) : ("stdout" as const),
      data: bytes.toBase64(),
      ts: timestamp,
    })),
    closed,
  };
};

export const resize: Handler<"pty.resize"> = ({ id, cols, rows }, { daemon, signal: canceled }) =>
  callHolder(daemon.sessions.get(id), "resize", { cols, rows }, { signal: canceled });

export const signal: Handler<"pty.signal"> = ({ id, signal: name }, { daemon, signal: canceled }) =>
  callHolder(daemon.sessions.get(id), "signal", { signal: `SIG${name}` }, { signal: canceled });

export const close: Handler<"pty.close"> = async ({ id }, { daemon: { sessions }, signal: canceled }) => {
  await endSession(sessions, id, HANG_UP, canceled);
  const session = sessions.get(id);
  const rc = exitStatus(session);
  const { duration_ms } = session;
  return { ...(rc === null ? {} : { rc }), ...(duration_ms === null ? {} : { duration_ms: Math.round(duration_ms) }) };
};

/**
 * Waits until there is output to return, the session ends, or the timeout passes. An incomplete
 * escape sequence alone is nothing to return.
 */
async function chunksOf(
  { id, since_seq, max_bytes, timeout_ms, strip_ansi }: Parsed<"pty.read">,
  { daemon: { sessions }, signal: canceled }: CallContext,
): Promise<{ chunks: StrippedChunk[]; closed: boolean }> {
  using reader = sessions.reader(id);
  reader.session();
  const deadline = performance.now() + timeout_ms;
  let from = since_seq;
  for (let maxBytes = max_bytes; ; maxBytes = MAX_SEQUENCE_BYTES) {
    const timeoutMs = Math.max(0, deadline - performance.now());
    const fresh = await waitForOutput({ sessions, id, cursor: from, maxBytes, timeoutMs, signal: canceled });
    // The new output is read again from the start, together with what precedes it.
    const { chunks, eof: closed } =
      from === since_seq ? fresh : sessions.read(id, { cursor: since_seq, maxBytes: MAX_SEQUENCE_BYTES });
    const end = chunks.at(-1);
    const endCursor = end === undefined ? since_seq : end.offset + end.bytes.length;
    const isFull = endCursor - since_seq >= MAX_SEQUENCE_BYTES;
    const shown = strip_ansi ? stripSequences(chunks, { isAll: closed || isFull }) : chunks.map(whole);
    if (shown.length > 0 || closed || timeoutMs === 0) return { chunks: shown, closed };
    from = endCursor;
  }
}

function whole(chunk: Omit<StrippedChunk, "end">): StrippedChunk {
  return { ...chunk, end: chunk.offset + chunk.bytes.length };
}
