/** Validates the fields of an ATTACH frame. */
import { type AttachRequest, type ClientSize, REPLAYS, ROLES } from "../../protocol/wire/attach.ts";
import { MAX_CELLS, MAX_DIMENSION } from "../../protocol/wire/holder-methods.ts";
import { MAX_SCROLLBACK_BYTES } from "../../protocol/types/settings.ts";
import { isSessionId } from "../../protocol/types/session-id.ts";
import { badValue, isWithin } from "../socket/control-values.ts";

const MAX_SCROLLBACK = 100_000;
const MAX_PIXELS = 65_535;
const MAX_LABEL = 200;
const MAX_INSIDE = 16;

type Fields = Record<string, unknown>;

export function parseAttachRequest(value: Fields | null): AttachRequest {
  const given = value ?? {};
  const cursor = given["cursor"];
  if (cursor !== undefined && !(typeof cursor === "string" && /^\d{1,15}$/.test(cursor)))
    throw badValue("cursor", cursor, "a decimal string");
  const replay = oneOf(REPLAYS, "replay", given);
  const once = given["once"] === true;
  if (once && replay !== "screen") throw badValue("replay", replay, "screen if `once` is set");
  return {
    role: oneOf(ROLES, "role", given),
    replay,
    ...(cursor === undefined ? {} : { cursor }),
    size: given["size"] === null ? null : parseClientSize(given["size"]),
    repaints: given["repaints"] === true,
    scrollback: wholeNumber("scrollback", given, MAX_SCROLLBACK),
    raw_bytes: wholeNumber("raw_bytes", given, MAX_SCROLLBACK_BYTES),
    replaces: given["replaces"] === true,
    takeover: given["takeover"] === true,
    once,
    passive: given["passive"] === true && given["role"] === "viewer" && given["size"] === null,
    pid: wholeNumber("pid", given, 2 ** 31),
    label: typeof given["label"] === "string" ? given["label"].slice(0, MAX_LABEL) : "",
    clipboard: given["clipboard"] === true,
    inside: sessionsIn(given["inside"]),
  };
}

function sessionsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((id): id is string => typeof id === "string" && isSessionId(id)).slice(0, MAX_INSIDE);
}

export function parseClientSize(value: unknown): ClientSize {
  const given: Fields = typeof value === "object" && value !== null ? { ...value } : {};
  const [cols, rows] = [wholeNumber("cols", given, MAX_PIXELS), wholeNumber("rows", given, MAX_PIXELS)];
  if (cols < 1 || rows < 1) throw badValue("size", value, "{cols, rows} of at least 1, or null");
  // A terminal larger than a session can be is treated as one of the largest size.
  const width = Math.min(cols, MAX_DIMENSION);
  const height = Math.min(rows, MAX_DIMENSION, Math.floor(MAX_CELLS / width));
  return {
    cols: width,
    rows: height,
    width: wholeNumber("width", given, MAX_PIXELS),
    height: wholeNumber("height", given, MAX_PIXELS),
  };
}

function oneOf<T extends string>(words: readonly T[], name: string, given: Fields): T {
  const word = words.find((known) => known === given[name]);
  if (word === undefined) throw badValue(name, given[name], words.join(" or "));
  return word;
}

/** 0 if the field is missing. */
function wholeNumber(name: string, given: Fields, maximum: number): number {
  const value = given[name] ?? 0;
  if (isWithin(value, 0, maximum)) return value;
  throw badValue(name, value, `a whole number up to ${maximum}`);
}
