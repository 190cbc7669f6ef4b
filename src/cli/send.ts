/** `holt send`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { readSync } from "../platform/fs.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { command } from "./command.ts";
import { SEND } from "./declarations/send.ts";
import { writeJson } from "./output.ts";
import { stdoutStyle } from "./style.ts";

const STDIN = 0;
const BLOCK_BYTES = 64 * 1024;
/** A command that does not read is asked again this often. */
const RETRY_MS = 50;

export const main = command(SEND, async ({ options, positionals: [reference = ""] }) => {
  if (options.stdin === (options.text !== null || options.enter)) {
    throw new HoltError("EBADARGS", "nothing to send, or too much", {
      hint: "use --text TEXT, with or without --enter, or --stdin",
    });
  }
  const session = new LocalSessions().resolve(reference);
  let written = 0;
  for (const bytes of options.stdin ? stdinBlocks() : [typed(options.text ?? "", options.enter)])
    written += await send(session, bytes);
  if (options.json) writeJson({ bytes_written: written }, stdoutStyle());
  return 0;
});

function typed(text: string, enter: boolean): Uint8Array {
  return bytesOf(enter ? `${text}\r` : text);
}

function* stdinBlocks(): Generator<Uint8Array> {
  const block = new Uint8Array(BLOCK_BYTES);
  for (let length = readSync(STDIN, block); length > 0; length = readSync(STDIN, block)) yield block.slice(0, length);
}

/** Waits for a command that does not read what it was sent before. */
async function send(session: Session, bytes: Uint8Array): Promise<number> {
  for (;;) {
    try {
      return (await callHolder(session, "input", { data: bytes.toBase64() })).bytes_written;
    } catch (error) {
      if (!(error instanceof HoltError && error.code === "EBUSY")) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}
