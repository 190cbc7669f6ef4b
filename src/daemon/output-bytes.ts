/** How much output of a session an answer carries, in bytes or, of what is text, nearly so. */
import { base64Bytes } from "./input-bytes.ts";

export function outputBytesIn(result: Readonly<Record<string, unknown>>): number {
  const { chunks, channels, content, stdout, stderr } = result;
  let bytes = lengthOf(content);
  for (const stream of [stdout, stderr]) if (typeof stream === "string") bytes += base64Bytes(stream);
  if (Array.isArray(chunks)) for (const chunk of chunks as { length?: unknown }[]) bytes += Number(chunk.length ?? 0);
  if (typeof channels === "object" && channels !== null)
    for (const channel of Object.values(channels)) bytes += lengthOf(channel);
  return bytes;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
