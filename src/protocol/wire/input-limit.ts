/** Checks the size of one input. */
import { HoltError } from "../types/errors.ts";
import { MAX_INPUT_BYTES } from "./holder-methods.ts";

export function requireInputFits(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_INPUT_BYTES) throw tooMuchInput(bytes.length);
  return bytes;
}

export function tooMuchInput(bytes: number): HoltError {
  return new HoltError("EBADARGS", `input too long: ${bytes} bytes`, {
    hint: `send at most ${MAX_INPUT_BYTES} bytes (2 MiB) at a time; \`holt send --stdin\` sends any number in parts`,
  });
}
