/** What was said on a named channel, as its format has it. */
import { textOf } from "../../protocol/types/bytes.ts";
import type { ChannelSpec } from "../../protocol/types/channels.ts";
import { encodeBytes } from "./capture-output.ts";
import type { StructuredOutput } from "./structured.ts";

export interface ChannelValue {
  /** Parsed; text where that cannot be. */
  value: unknown;
  error: string | null;
}

export interface ChannelBytes {
  bytes: Uint8Array;
  /** There is no more of it. */
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
  if (!isWhole) return raw("not all of it is here");
  const text = textOf(bytes);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (format === "lines") return { value: lines, error: null };
  try {
    if (format === "json") return { value: text === "" ? null : JSON.parse(text), error: null };
    return { value: lines.filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line)), error: null };
  } catch (error) {
    return raw(`it is no ${format}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
