/** Sends a secret to a session: typed only while echo is off, and never recorded. */
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_SECRET_BYTES } from "../../protocol/wire/holder-methods.ts";
import type { Session } from "../../protocol/types/session.ts";
import { callHolder } from "../holder/holder-call.ts";

export function sendSecret(session: Session, bytes: Uint8Array, takeover: boolean): Promise<{ bytes_written: number }> {
  if (bytes.length === 0 || bytes.length > MAX_SECRET_BYTES) {
    throw new HoltError("EBADARGS", bytes.length === 0 ? "the secret is empty" : "the secret is too long", {
      hint: `a secret is 1 to ${MAX_SECRET_BYTES} bytes`,
    });
  }
  return callHolder(session, "secret", { data: bytes.toBase64(), takeover });
}
