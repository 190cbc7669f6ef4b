/** Reads the stdin of a new session for `holt start --stdin`. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { MAX_STDIN_BYTES } from "../../../protocol/wire/start-request.ts";
import { contentsOf } from "../../options/contents-of.ts";

/** Returns base64. */
export function readStdinOption(from: string): string {
  if (from === "none") return "";
  const bytes = contentsOf(from, "--stdin takes a file, - for this command's stdin, or none");
  if (bytes.length <= MAX_STDIN_BYTES) return bytes.toBase64();
  throw new HoltError("EBADARGS", `--stdin is too large: ${bytes.length} bytes, at most ${MAX_STDIN_BYTES}`, {
    hint: "start it without --stdin, then use `holt send ID --stdin --eof < FILE`",
  });
}
