/** The bytes of a named channel, parsed in its format. */
import { textOf } from "../../protocol/types/bytes.ts";
import type { ChannelSpec } from "../../protocol/types/channels.ts";
import { encodeBytes } from "./capture-output.ts";
import type { StructuredOutput } from "./structured.ts";

export interface ChannelValue {
  /** Text if it cannot be parsed. */
  value: unknown;
  error: string | null;
}

export interface ChannelBytes {
  bytes: Uint8Array;
  /** True if these are all bytes of the channel. */
  isWhole: boolean;
  encoding: "text" | "base64";
  structured: StructuredOutput | null;
}

export function channelValue(
  { format, source }: ChannelSpec,
  { bytes, isWhole, encoding, structured }: ChannelBytes,
): ChannelValue {
  if (source === "structured") return { value: structured?.data ?? null, error: null };
  const raw = (error: string | null): ChannelValue => ({ value: encodeBytes(encoding, bytes), error });
  if (format === "raw") return raw(null);
  if (!isWhole) return raw("incomplete");
  const text = textOf(bytes);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (format === "lines") return { value: lines, error: null };
  try {
    if (format === "json") return { value: text === "" ? null : JSON.parse(text), error: null };
    return { value: lines.filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line)), error: null };
  } catch (error) {
    return raw(`not valid ${format}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
