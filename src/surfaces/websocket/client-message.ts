/** Parses and checks messages of an attached client, in JSON or in binary. */
import { ATTACH_FRAME } from "../../protocol/wire/attach.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { decodeJson } from "../../protocol/wire/frames.ts";
import { MAX_DIMENSION } from "../../protocol/wire/holder-methods.ts";
import { MAX_INPUT_MESSAGE_BYTES } from "../../protocol/wire/web.ts";

export type ClientMessage =
  | { kind: "attach"; token: string; session: string | null }
  | { kind: "input"; bytes: Uint8Array }
  | { kind: "resize"; cols: number; rows: number }
  | { kind: "detach" }
  /** Flow control for browsers, which cannot stop reading a WebSocket. */
  | { kind: "pause" }
  | { kind: "resume" }
  | { kind: "ping" };

/** Throws a HoltError when the message is invalid. */
export function parseClientMessage(message: string | Uint8Array): ClientMessage {
  return typeof message === "string" ? parseJson(message) : parseBinary(message);
}

function parseBinary(message: Uint8Array): ClientMessage {
  const payload = message.subarray(1);
  switch (message[0]) {
    case ATTACH_FRAME.input:
      return { kind: "input", bytes: bounded(payload) };
    case ATTACH_FRAME.resize:
      return resizeMessage(decodeJson(payload) ?? {});
    case ATTACH_FRAME.detach:
      return { kind: "detach" };
    case ATTACH_FRAME.attach:
      return attachMessage(decodeJson(payload) ?? {});
    default:
      throw unknown(`frame type ${message[0] ?? "none"}`, "attach 18, input 24, resize 25, detach 26");
  }
}

function parseJson(text: string): ClientMessage {
  const value = jsonObject(text);
  switch (value["type"]) {
    case "input":
      return { kind: "input", bytes: bounded(decodeInput(value["data"])) };
    case "resize":
      return resizeMessage(value);
    case "detach":
      return { kind: "detach" };
    case "pause":
    case "resume":
    case "ping":
      return { kind: value["type"] };
    case "attach":
      return attachMessage(value);
    default:
      throw unknown(
        `message type ${typeof value["type"] === "string" ? JSON.stringify(value["type"].slice(0, 80)) : `of kind ${typeof value["type"]}`}`,
        "attach, input, resize, detach, pause, resume, ping",
      );
  }
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // the error is thrown below
  }
  throw new HoltError("EBADARGS", "the message is not a JSON object", { hint: 'e.g. {"type":"input","data":"bHMK"}' });
}

function decodeInput(data: unknown): Uint8Array {
  try {
    if (typeof data === "string") return Uint8Array.fromBase64(data);
  } catch {
    // the error is thrown below
  }
  throw new HoltError("EBADARGS", "input needs data in base64", { hint: '{"type":"input","data":"bHMK"} types "ls"' });
}

function bounded(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= MAX_INPUT_MESSAGE_BYTES) return bytes;
  throw new HoltError("ERLIMIT", `input message too large: ${bytes.length} bytes, at most ${MAX_INPUT_MESSAGE_BYTES}`, {
    hint: "send several messages",
  });
}

function resizeMessage({ cols, rows }: Record<string, unknown>): ClientMessage {
  const isDimension = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DIMENSION;
  if (isDimension(cols) && isDimension(rows)) return { kind: "resize", cols, rows };
  throw new HoltError("EBADARGS", "resize needs cols and rows", {
    hint: `use whole numbers from 1 to ${MAX_DIMENSION}`,
  });
}

function attachMessage({ token, session }: Record<string, unknown>): ClientMessage {
  if (typeof token !== "string")
    throw new HoltError("EUNAUTHORIZED", "attach needs a token", { hint: "send a token or a ticket" });
  return { kind: "attach", token, session: typeof session === "string" ? session : null };
}

function unknown(what: string, known: string): HoltError {
  return new HoltError("EBADARGS", `unknown ${what}`, { hint: `use one of ${known}` });
}
