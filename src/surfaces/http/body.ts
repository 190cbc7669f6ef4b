/** Request bodies: one JSON object of bounded size. */
import { joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_BODY_BYTES } from "../../protocol/wire/web.ts";
import { errorResponse, OWN_STATUSES } from "./responses.ts";

/** HTML forms of other sites cannot send this content type, so any other type is refused. */
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Returns an error Response when the body is refused. */
export async function readJsonBody(
  request: Request,
  most = MAX_BODY_BYTES,
): Promise<Record<string, unknown> | Response> {
  const bytes = await readBytes(request, most);
  if (bytes === null) return bodyTooLarge(most);
  if (bytes.length === 0) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(type))
    return errorResponse(
      new HoltError("EBADARGS", `unsupported content type: ${JSON.stringify(type.slice(0, 80))}`, {
        hint: "send `Content-Type: application/json`",
      }),
      OWN_STATUSES.type,
    );
  return parseObject(bytes);
}

/** Null when the body is larger; the remaining bytes are not read. */
async function readBytes({ headers, body }: Request, most: number): Promise<Uint8Array | null> {
  if (Number(headers.get("content-length") ?? 0) > most) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > most) return null;
    parts.push(part);
  }
  return joined(parts);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | Response {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    return errorResponse(
      new HoltError("EBADARGS", "the body is not JSON", { hint: "send an object with the method's parameters" }),
    );
  }
  return errorResponse(
    new HoltError("EBADARGS", "the body is not a JSON object", { hint: "send the method's parameters by name" }),
  );
}

function bodyTooLarge(most: number): Response {
  const error = new HoltError("ERLIMIT", `the body is larger than ${most} bytes`, {
    hint: "send it in several calls",
    details: { max_bytes: most },
  });
  return errorResponse(error, OWN_STATUSES.large);
}
