import { type PartLimit, SessionExport } from "../../client/read/export-session.ts";
import { loopYielder } from "../../client/read/text/yield-to-loop.ts";
import { searchSessionsInChildProcess } from "../../client/read/text/grep-child.ts";
import { compilePattern } from "../../client/read/text/grep-request.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import { about } from "../files/fs-error.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext } from "../daemon-context.ts";
import { NewFile } from "../files/new-file.ts";

export const search: Handler<"session.search"> = async (params, { daemon: { sessions }, signal }) => {
  const { query, regex, ignore_case, project, since, limit, per_session, after } = params;
  const sought = { text: query, isRegex: regex, ignoreCase: ignore_case };
  compilePattern(sought);
  const request = {
    sought,
    project: project ?? null,
    since: since === undefined ? null : Date.parse(since),
    limit,
    perSession: per_session,
    after: after === undefined ? null : { session_id: after.session_id, cursor: Number(after.cursor) },
  };
  const { hits, searched, unjudged, next } = await searchSessionsInChildProcess(sessions.layout.root, request, signal);
  return { hits: hits.map(told), searched, unjudged, next: next === null ? null : told(next) };
};

type Export = Parsed<"session.export">;

export const exported: Handler<"session.export"> = async (params, context) => {
  const { part, format, path } = params;
  if (!part) return made(params, context);
  if (path !== undefined || !IN_PARTS.has(format)) throw notInParts(path === undefined ? format : "a file");
  // What is printed takes more in another form: how much more is known once it is made. Within a line it is cut where the whole line is too much.
  for (let [bytes, cutsLines] = [Math.ceil(params.max_bytes / 2), false]; ; cutsLines = true) {
    try {
      return await made(params, context, { bytes, cutsLines });
    } catch (error) {
      if (!(error instanceof HoltError && error.code === "ERLIMIT") || bytes < LEAST_PART) throw error;
      if (cutsLines) bytes = Math.floor(bytes / 4);
    }
  }
};

const IN_PARTS: ReadonlySet<Export["format"]> = new Set(["asciicast", "text"]);
const LEAST_PART = 32;

async function made(
  params: Export,
  { daemon: { sessions, files }, signal }: CallContext,
  part?: PartLimit,
): Promise<Result<"session.export">> {
  const { session_id, format, cursor, until, path, max_bytes } = params;
  const to = until === undefined ? null : Number(until);
  using session = new SessionExport(sessions, session_id, { format, from: Number(cursor), to });
  using file = path === undefined ? null : about(path, () => new NewFile(files.locate(path), path));
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

function notInParts(what: string): HoltError {
  return new HoltError("EBADARGS", `session.export: ${what} is not made in parts`, {
    hint: `part goes with ${[...IN_PARTS].join(" and ")}, in the answer`,
  });
}

function tooLarge(bytes: number): HoltError {
  return new HoltError("ERLIMIT", `the export is larger than ${bytes} bytes`, {
    hint: "have it written to a file with path, or export it in parts with part",
  });
}

function told<Place extends { cursor: number }>(place: Place): Omit<Place, "cursor"> & { cursor: string } {
  return { ...place, cursor: String(place.cursor) };
}
