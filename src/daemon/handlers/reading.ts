/** Handlers of session.list, session.get and session.read. */
import { grepBySize, compilePattern } from "../../client/read/text/grep-request.ts";
import { rangeOf, readText, requireConsistent, type TextRequest } from "../../client/read/text/read-text.ts";
import { waitUntilIndexed } from "../../client/read/wait-until-indexed.ts";
import { formattedScreen } from "../../client/read/screen.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal } from "../../protocol/types/session.ts";
import { estimatedTokens } from "../../protocol/types/tokens.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext, DaemonContext } from "../daemon-context.ts";

export const list: Handler<"session.list"> = (params, { daemon }) => {
  const late = daemon.live.catchUp();
  return late === null ? listed(daemon, params) : late.then(() => listed(daemon, params));
};

function listed(
  daemon: DaemonContext,
  { states, name, project_id, limit, offset }: Parsed<"session.list">,
): Result<"session.list"> {
  const { sessions, matching } = daemon.live.list({
    page: { offset, limit },
    ...(states === undefined ? {} : { states }),
    ...(name === undefined ? {} : { name }),
    ...(project_id === undefined ? {} : { projectId: project_id }),
  });
  return { sessions, total_count: matching };
}

export const get: Handler<"session.get"> = ({ session_id }, { daemon }) => daemon.sessions.get(session_id);

type Read = Parsed<"session.read">;
const VIEWS = { raw: readRaw, text: readLines, screen: readScreen };

export const read: Handler<"session.read"> = async (params, context) => {
  {
    using reader = context.daemon.sessions.reader(params.session_id);
    reader.session();
    const { view, cursor } = params;
    // The holder renders the screen from its own state; text needs the index to reach the cursor.
    if (view !== "screen") await waitUntilIndexed(reader, Number(cursor), context.signal);
  }
  return VIEWS[params.view](params, context);
};

function readRaw(params: Read, { daemon }: CallContext): Result<"session.read"> {
  requireNoTextOptions(params);
  using reader = daemon.sessions.reader(params.session_id);
  reader.session();
  const { max_bytes, channel, until, head_bytes, tail_bytes } = params;
  const isWhole = until === undefined && head_bytes === undefined && tail_bytes === undefined;
  const { from, to } = isWhole
    ? { from: Number(params.cursor), to: Number.POSITIVE_INFINITY }
    : rangeOf(rangeIn(params), reader.end());
  const { chunks, next_cursor, eof, truncated } = reader.read({
    cursor: from,
    maxBytes: Math.min(max_bytes, to - from),
    ...(channel === undefined ? {} : { channel }),
  });
  return {
    chunks: chunks.map(({ channel: source, offset, timestamp, bytes }) => ({
      channel: source,
      offset: String(offset),
      length: bytes.length,
      timestamp,
      data: bytes.toBase64(),
    })),
    next_cursor: String(next_cursor),
    eof,
    truncated,
  };
}

async function readLines(params: Read, { daemon: { sessions }, signal }: CallContext): Promise<Result<"session.read">> {
  const { session_id: id } = params;
  const request = textRequest(params);
  requireConsistent(request);
  if (request.grep !== null) compilePattern(request.grep.spec);
  const grep = grepBySize(sessions, id, signal);
  const { next_cursor, omitted, matched, unjudged, ...rest } = await readText({ sessions, id, signal, grep }, request);
  return {
    ...rest,
    truncated: rest.truncated || omitted !== null || (unjudged ?? []).length > 0,
    next_cursor: String(next_cursor),
    omitted: omitted === null ? null : { ...omitted, cursor: String(omitted.cursor), until: String(omitted.until) },
    matched: matched?.map(String) ?? null,
    unjudged: unjudged?.map(String) ?? null,
  };
}

async function readScreen(
  params: Read,
  { daemon: { sessions }, signal }: CallContext,
): Promise<Result<"session.read">> {
  requireNoTextOptions(params);
  const session = sessions.get(params.session_id);
  const at = params.until === undefined ? null : Number(params.until);
  const { content, cursor } = await formattedScreen({ sessions, session, at, progress() {}, signal }, "text");
  return {
    text: content,
    next_cursor: String(cursor),
    eof: isFinal(session.state) && cursor >= session.output_bytes,
    truncated: false,
    estimated_tokens: estimatedTokens(content),
  };
}

function textRequest(params: Read): TextRequest {
  const { channel, head, tail, cut, max_bytes, max_tokens, collapse, cursors, grep } = params;
  const { literal, ignore_case, before, after, max_matches } = params;
  return {
    ...rangeIn(params),
    channel: channel ?? null,
    head: head ?? null,
    tail: tail ?? null,
    cut,
    maxBytes: max_bytes,
    maxTokens: max_tokens ?? null,
    style: { collapse, cursors: cursors ?? grep !== undefined },
    finalNewline: params.final_newline,
    grep:
      grep === undefined
        ? null
        : {
            spec: { text: grep, isRegex: !literal, ignoreCase: ignore_case },
            before,
            after,
            maxMatches: max_matches,
          },
  };
}

function rangeIn({ cursor, until, head_bytes, tail_bytes }: Read): Parameters<typeof rangeOf>[0] {
  return {
    cursor: Number(cursor),
    until: until === undefined ? null : Number(until),
    headBytes: head_bytes ?? null,
    tailBytes: tail_bytes ?? null,
  };
}

function requireNoTextOptions({ view, head, tail, grep, max_tokens }: Read): void {
  const [given] = Object.entries({ head, tail, grep, max_tokens }).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return;
  throw new HoltError("EBADARGS", `session.read: ${given} needs view text, not view ${view}`, {
    hint: `add "view": "text"`,
  });
}
