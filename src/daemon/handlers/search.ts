/** Handlers of session.search and session.export. */
import { type PartLimit, SessionExport } from "../../client/read/export-session.ts";
import { loopYielder } from "../../client/read/text/yield-to-loop.ts";
import { searchSessionsInChildProcess } from "../../client/read/text/grep-child.ts";
import { compilePattern } from "../../client/read/text/grep-request.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import { withFileErrors } from "../files/fs-error.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext } from "../daemon-context.ts";
import { NewFile } from "../files/new-file.ts";

export const search: Handler<"session.search"> = async (params, { daemon: { sessions }, signal }) => {
  const { query, regex, ignore_case, project, since, limit, per_session, after } = params;
  const spec = { text: query, isRegex: regex, ignoreCase: ignore_case };
  compilePattern(spec);
  const request = {
    spec,
    project: project ?? null,
    since: since === undefined ? null : Date.parse(since),
    limit,
    perSession: per_session,
    after: after === undefined ? null : { session_id: after.session_id, cursor: Number(after.cursor) },
  };
  const { hits, searched, unjudged, next } = await searchSessionsInChildProcess(sessions.layout.root, request, signal);
  return { hits: hits.map(withTextCursor), searched, unjudged, next: next === null ? null : withTextCursor(next) };
};

type Export = Parsed<"session.export">;

export const exportSession: Handler<"session.export"> = async (params, context) => {
  const { part, format, path } = params;
  if (!part) return exportOnce(params, context);
  if (path !== undefined || !PARTIAL_FORMATS.has(format)) throw notPartial(path === undefined ? format : "a file");
  // The exported form is larger than the output, by a factor known only afterwards: the part
  // shrinks until it fits, and is cut within a line if a whole line is too large.
  for (let [bytes, cutsLines] = [Math.ceil(params.max_bytes / 2), false]; ; cutsLines = true) {
    try {
      return await exportOnce(params, context, { bytes, cutsLines });
    } catch (error) {
      if (!(error instanceof HoltError && error.code === "ERLIMIT") || bytes < MIN_PART_BYTES) throw error;
      if (cutsLines) bytes = Math.floor(bytes / 4);
    }
  }
};

const PARTIAL_FORMATS: ReadonlySet<Export["format"]> = new Set(["asciicast", "text"]);
const MIN_PART_BYTES = 32;

async function exportOnce(
  params: Export,
  { daemon: { sessions, files }, signal }: CallContext,
  part?: PartLimit,
): Promise<Result<"session.export">> {
  const { session_id, format, cursor, until, path, max_bytes } = params;
  const to = until === undefined ? null : Number(until);
  using session = new SessionExport(sessions, session_id, { format, from: Number(cursor), to });
  using file = path === undefined ? null : withFileErrors(path, () => new NewFile(files.locate(path), path));
  const yieldToLoop = loopYielder(signal);
  if (part !== undefined) await session.cut(part, yieldToLoop);
  const parts: string[] = [];
  let bytes = 0;
  for (const { text } of session.parts()) {
    await yieldToLoop();
    bytes += Buffer.byteLength(text);
    if (file !== null) file.write(text);
    else if (bytes <= max_bytes) parts.push(text);
    else throw tooLarge(max_bytes);
  }
  file?.complete();
  return {
    format,
    content: file === null ? parts.join("") : null,
    path: path ?? null,
    bytes,
    cursor: String(session.from),
    until: String(session.to),
    next_cursor: session.next === null ? null : String(session.next),
    missing_bytes: session.missing,
  };
}

function notPartial(what: string): HoltError {
  return new HoltError("EBADARGS", `session.export: ${what} cannot be exported in parts`, {
    hint: `part needs the format ${[...PARTIAL_FORMATS].join(" or ")}, and no path`,
  });
}

function tooLarge(bytes: number): HoltError {
  return new HoltError("ERLIMIT", `the export is larger than ${bytes} bytes`, {
    hint: "write it to a file with path, or export it in parts with part",
  });
}

function withTextCursor<Position extends { cursor: number }>(
  position: Position,
): Omit<Position, "cursor"> & { cursor: string } {
  return { ...position, cursor: String(position.cursor) };
}
