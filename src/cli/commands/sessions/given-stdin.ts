/** `holt start --stdin`. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { MAX_STDIN_BYTES } from "../../../protocol/wire/start-request.ts";
import { contentsOf } from "../../options/contents-of.ts";

/** Base64. */
export function givenStdin(from: string): string {
  if (from === "none") return "";
  const bytes = contentsOf(from, "--stdin takes a file, - for what comes on stdin here, or none");
  if (bytes.length <= MAX_STDIN_BYTES) return bytes.toBase64();
  throw new HoltError("EBADARGS", `--stdin is ${bytes.length} bytes, and a start takes ${MAX_STDIN_BYTES}`, {
    hint: "start it without --stdin, and send them: `holt send ID --stdin --eof < FILE`",
  });
}
