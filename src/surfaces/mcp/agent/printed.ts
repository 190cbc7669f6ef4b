/** What a command printed, as a model can afford to read it: its beginning and its end, as text, and where the rest is. */
import * as z from "zod";
import { bytesOf } from "../../../protocol/bytes.ts";
import { LEAST_TOKENS } from "../../../protocol/reading.ts";
import { cursor, integerFrom } from "../../../protocol/rows/fields.schema.ts";
import type { Result } from "../../../protocol/table.schema.ts";
import { BYTES_PER_TOKEN, estimatedTokens } from "../../../protocol/tokens.ts";
import { counted } from "../../../terminal/counted.ts";
import { Repeats } from "../../../terminal/repeats.ts";
import { textOf } from "../../../terminal/text.ts";
import type { Means } from "./agent-tool.ts";
import { call } from "./describe.ts";

export const DEFAULT_TOKENS = 5000;

export const MAX_TOKENS = {
  max_tokens: integerFrom(LEAST_TOKENS)
    .default(DEFAULT_TOKENS)
    .describe(
      `Of output in the answer: the beginning and the end of what it printed, and where the rest is. A token is taken for ${BYTES_PER_TOKEN} bytes`,
    ),
};

/** Of what the tool was given, what the row knows. */
export function withoutTokens({ ...given }: Record<string, unknown>): Record<string, unknown> {
  delete given["max_tokens"];
  return given;
}

export const OMITTED = z
  .array(
    z.object({
      channel: z.string(),
      lines: z.int().nullable(),
      bytes: z.int(),
      cursor: cursor.describe("session.read from there …"),
      until: cursor.describe("… to there has it"),
    }),
  )
  .describe("What did not fit, and is kept");

export type Omitted = z.infer<typeof OMITTED>[number];

export interface Printed {
  text: string;
  omitted: Omitted | null;
  /** Where the reading stands. */
  next: string;
}

/** Escape sequences, redrawn lines and what is no UTF-8: a reader is needed for these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_PLAIN = /[\x00-\x08\x0b-\x1f\x7f\ufffd]/;

/** Whether it can be told as it is. */
export function isPlain(text: string, tokens: number): boolean {
  return estimatedTokens(text) <= tokens && !NOT_PLAIN.test(text) && collapsed(text) === text;
}

export interface Reading {
  session_id: string;
  channel: string;
  tokens: number;
}

export async function readBothEnds(
  { session_id, channel, tokens }: Reading,
  { daemon, signal }: Means,
): Promise<Printed> {
  const {
    text = "",
    omitted,
    next_cursor,
  } = await daemon.call(
    "session.read",
    { session_id, view: "text", channel, cut: "middle", max_tokens: Math.max(LEAST_TOKENS, tokens) },
    signal,
  );
  const printed = text === "" ? "" : `${text}\n`;
  return { text: printed, omitted: omitted ? { channel, ...omitted } : null, next: next_cursor };
}

export function whereTheRestIs(session_id: string, { channel, lines, bytes, cursor: at, until }: Omitted): string {
  const what = lines === null ? counted(bytes, "byte") : counted(lines, "line");
  return `${what} of ${channel} left out: ${call("session_read", { session_id, channel, cursor: at, until })}`;
}

/** Lines alike told once, as session.read tells them. */
function collapsed(text: string): string {
  const repeats = new Repeats<{ channel: string; start: number; end: number; text: string }>("forwards");
  const lines = text.split("\n");
  const told = lines.flatMap((line) => repeats.push({ channel: "", start: 0, end: 0, text: line }));
  return [...told, ...repeats.end()].map((line) => line.text).join("\n");
}

/** Of a command in a shell, whose output is a range of bytes that need not end with a line. */
export async function execText(
  executed: Result<"session.exec">,
  { session_id, tokens }: { session_id: string; tokens: number },
  { daemon, signal }: Means,
): Promise<{ text: string; omitted: Omitted | null }> {
  const { data, output_start, output_end, next_cursor, truncated } = executed;
  const bytes = Uint8Array.fromBase64(data);
  const room = tokens * BYTES_PER_TOKEN;
  const whole = collapsed(textOf(bytes));
  if (!truncated && bytesOf(whole).length <= room) return { text: whole, omitted: null };
  const tail_bytes = Math.floor((room * 2) / 3);
  const { chunks = [] } = await daemon.call(
    "session.read",
    {
      session_id,
      cursor: next_cursor === output_end ? output_start : next_cursor,
      until: output_end,
      tail_bytes,
      max_bytes: tail_bytes,
    },
    signal,
  );
  const [last] = chunks;
  if (last === undefined) return { text: whole, omitted: null }; // what is missing was not kept
  const end = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk.data, "base64")));
  const from = end.indexOf(10) + 1; // a line that is there in part is left out with the rest
  const head = bytes.subarray(0, Math.min(Math.floor(room / 3), Number(last.offset) - Number(output_start)));
  const to = head.lastIndexOf(10) + 1 || head.length;
  const omitted = {
    channel: "pty",
    lines: null,
    bytes: Number(last.offset) + from - (Number(output_start) + to),
    cursor: String(Number(output_start) + to),
    until: String(Number(last.offset) + from),
  };
  const note = `… ${counted(omitted.bytes, "byte")}, cursor ${omitted.cursor} …\n`;
  return { text: `${textOf(head.subarray(0, to))}${note}${textOf(end.subarray(from))}`, omitted };
}
