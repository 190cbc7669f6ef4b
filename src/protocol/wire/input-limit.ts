/** How much is typed at once. */
import { HoltError } from "../types/errors.ts";
import { MAX_INPUT_BYTES } from "./holder-methods.ts";

export function requireInputFits(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_INPUT_BYTES) throw tooMuchInput(bytes.length);
  return bytes;
}

export function tooMuchInput(bytes: number): HoltError {
  return new HoltError("EBADARGS", `${bytes} bytes are more than is sent at once`, {
    hint: `send at most ${MAX_INPUT_BYTES} bytes (2 MiB) at a time; \`holt send --stdin\` sends any number, a part after the other`,
  });
}
