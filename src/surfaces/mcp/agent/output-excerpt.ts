/**
 * Excerpts of output that fit a token limit: the beginning and the end as text, and how to read the
 * rest.
 */
import * as z from "zod";
import { bytesOf } from "../../../protocol/types/bytes.ts";
import { MIN_TOKENS } from "../../../protocol/types/read-options.ts";
import { cursor, integerFrom } from "../../../protocol/methods/rows/fields.schema.ts";
import type { Result } from "../../../protocol/methods/table.schema.ts";
import { BYTES_PER_TOKEN, estimatedTokens } from "../../../protocol/types/tokens.ts";
import { counted } from "../../../terminal/text/counted.ts";
import { renderText } from "../../../terminal/text/text-view.ts";
import type { ToolRun } from "./agent-tool.ts";
import { callText } from "./describe.ts";

export const DEFAULT_TOKENS = 5000;

export const MAX_TOKENS = {
  max_tokens: integerFrom(MIN_TOKENS)
    .default(DEFAULT_TOKENS)
    .describe(
      `Limit of the output in the answer: its beginning and end, and how to read the rest. A token counts as ${BYTES_PER_TOKEN} bytes`,
    ),
};

/** The parameters without max_tokens, which the row does not have. */
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
      cursor: cursor.describe("Start of the omitted output, for session.read"),
      until: cursor.describe("End of the omitted output"),
    }),
  )
  .describe("Output that did not fit, and is kept");

export type Omitted = z.infer<typeof OMITTED>[number];

export interface OutputExcerpt {
  text: string;
  omitted: Omitted | null;
  /** Equal lines are folded into one. */
  isFolded: boolean;
  /** Output is omitted, or was not kept. */
  truncated: boolean;
  /** The cursor after this read. */
  next: string;
}

/** Part of the description of each tool that folds lines. */
export const FOLD_MARK_TEXT = "⟨×N⟩ at the end of a line stands for N equal lines";
export const FOLDED_NOTE = `not all lines fit, so equal lines are folded: ${FOLD_MARK_TEXT}`;
const FOLD_MARK = /⟨×\d+⟩$/m;
/** The most that one read returns; max_tokens sets the actual limit. */
export const MAX_READ_BYTES = 1024 * 1024;

/**
 * Text that needs the text view: escape sequences, redrawn lines, bidi controls and invalid UTF-8.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_PLAIN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]/;

/** True when the text fits and can be returned as it is. */
export function isPlain(text: string, tokens: number): boolean {
  return estimatedTokens(text) <= tokens && !NOT_PLAIN.test(text);
}

export interface ExcerptRange {
  session_id: string;
  channel: string;
  tokens: number;
  cursor?: string;
  until?: string;
}

/** Returns all lines when they fit; otherwise folds equal lines. */
export async function readExcerpt(
  { tokens, ...range }: ExcerptRange,
  { daemon, signal }: ToolRun,
): Promise<OutputExcerpt> {
  const { channel } = range;
  const read = (collapse: boolean): Promise<Result<"session.read">> =>
    daemon.call(
      "session.read",
      {
        ...range,
        view: "text",
        final_newline: true,
        cut: "middle",
        max_tokens: Math.max(MIN_TOKENS, tokens),
        max_bytes: MAX_READ_BYTES,
        collapse,
      },
      signal,
    );
  const whole = await read(false);
  const { text = "", omitted, next_cursor, truncated } = (whole.omitted ?? null) === null ? whole : await read(true);
  return {
    text,
    omitted: omitted ? { channel, ...omitted } : null,
    isFolded: (whole.omitted ?? null) !== null && FOLD_MARK.test(text),
    truncated,
    next: next_cursor,
  };
}

export function omittedText(session_id: string, { channel, lines, bytes, cursor: at, until }: Omitted): string {
  const what = lines === null ? counted(bytes, "byte") : counted(lines, "line");
  return `${what} of ${channel} omitted: ${callText("session_read", { session_id, channel, cursor: at, until })}`;
}

/** The output of a command in a shell: a range of bytes that need not end with a newline. */
export async function readExecOutput(
  executed: Result<"session.exec">,
  { session_id, tokens }: { session_id: string; tokens: number },
  run: ToolRun,
): Promise<Omit<OutputExcerpt, "next">> {
  const { data, output_start, output_end: until, truncated } = executed;
  const whole = renderText(Uint8Array.fromBase64(data));
  if (!truncated && bytesOf(whole).length <= tokens * BYTES_PER_TOKEN)
    return { text: whole, omitted: null, isFolded: false, truncated: false };
  return readExcerpt({ session_id, channel: "pty", cursor: output_start, until, tokens }, run);
}
