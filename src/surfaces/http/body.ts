/** What a request brings along: an object in JSON, of bounded size. */
import { HoltError } from "../../protocol/errors.ts";
import { MAX_BODY_BYTES } from "../../protocol/web.ts";
import { failed } from "./envelope.ts";

/** A form of another site's page cannot say that it is JSON: what does not is refused. */
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** A Response where it cannot be taken. */
export async function bodyOf(request: Request): Promise<Record<string, unknown> | Response> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return tooLarge();
  const bytes = await request.bytes();
  if (bytes.length > MAX_BODY_BYTES) return tooLarge();
  if (bytes.length === 0) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(type))
    return failed(
      new HoltError("EBADARGS", `the body is ${JSON.stringify(type.slice(0, 80))}, and must be application/json`, {
        hint: "send `Content-Type: application/json`",
      }),
      415,
    );
  return parsed(bytes);
}

function parsed(bytes: Uint8Array): Record<string, unknown> | Response {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    return failed(new HoltError("EBADARGS", "the body is no JSON", { hint: "an object with the method's parameters" }));
  }
  return failed(
    new HoltError("EBADARGS", "the body is no JSON object", { hint: "the method's parameters by their names" }),
  );
}

function tooLarge(): Response {
  const error = new HoltError("ERLIMIT", `the body is larger than ${MAX_BODY_BYTES} bytes`, {
    hint: "send it in parts, in several calls",
    details: { max_bytes: MAX_BODY_BYTES },
  });
  return failed(error, 413);
}
