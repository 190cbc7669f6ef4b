import { SessionExport } from "../../client/export-session.ts";
import { breathing } from "../../client/reading/breathing.ts";
import { searchElsewhere } from "../../client/reading/elsewhere.ts";
import { patternOf } from "../../client/reading/grep-request.ts";
import { HoltError } from "../../protocol/errors.ts";
import { about } from "../fs-error.ts";
import type { Handler } from "../handlers.ts";
import { NewFile } from "../new-file.ts";

export const search: Handler<"session.search"> = async (params, { household: { sessions }, signal }) => {
  const { query, regex, ignore_case, project, since, limit, per_session, after } = params;
  const sought = { text: query, isRegex: regex, ignoreCase: ignore_case };
  patternOf(sought);
  const request = {
    sought,
    project: project ?? null,
    since: since === undefined ? null : Date.parse(since),
    limit,
    perSession: per_session,
    after: after === undefined ? null : { session_id: after.session_id, cursor: Number(after.cursor) },
  };
  const { hits, searched, unjudged, next } = await searchElsewhere(sessions.layout.root, request, signal);
  return { hits: hits.map(told), searched, unjudged, next: next === null ? null : told(next) };
};

export const exported: Handler<"session.export"> = async (params, { household: { sessions, files }, signal }) => {
  const { session_id, format, cursor, until, path, max_bytes } = params;
  const to = until === undefined ? null : Number(until);
  using made = new SessionExport(sessions, session_id, { format, from: Number(cursor), to });
  using file = path === undefined ? null : about(path, () => new NewFile(files.place(path), path));
  const breath = breathing(signal);
  const parts: string[] = [];
  let bytes = 0;
  for (const { text } of made.parts()) {
    await breath();
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
    cursor: String(made.from),
    until: String(made.to),
    missing_bytes: made.missing,
  };
};

function tooLarge(bytes: number): HoltError {
  return new HoltError("ERLIMIT", `the export is larger than ${bytes} bytes`, {
    hint: "have it written to a file with path, or export a part with cursor and until",
  });
}

function told<Place extends { cursor: number }>(place: Place): Omit<Place, "cursor"> & { cursor: string } {
  return { ...place, cursor: String(place.cursor) };
}
