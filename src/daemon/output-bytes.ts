/** How much of a session's output, or of a file, an answer carries: in bytes or, of what is text already, nearly so. */
import { base64Bytes } from "./input-bytes.ts";

export function outputBytesIn(result: Readonly<Record<string, unknown>>): number {
  const { chunks, channels, content, stdout, stderr, data, text } = result;
  // session.exec has the same twice.
  let bytes = lengthOf(content) + (typeof data === "string" ? base64Bytes(data) : lengthOf(text));
  if (typeof stdout === "string") bytes += base64Bytes(stdout);
  if (typeof stderr === "string") bytes += base64Bytes(stderr);
  if (Array.isArray(chunks)) for (const chunk of chunks as Chunk[]) bytes += chunk.length ?? base64Bytes(chunk.data);
  if (typeof channels === "object" && channels !== null)
    for (const channel of Object.values(channels)) bytes += lengthOf(channel);
  return bytes;
}

/** Those of pty.read do not tell their length. */
interface Chunk {
  length?: number;
  data: string;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
