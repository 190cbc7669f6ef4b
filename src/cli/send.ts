/** `holt send`. */
import { LocalSessions } from "../client/local-sessions.ts";
import { sendInput } from "../client/send-input.ts";
import { readSync } from "../platform/fs.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import { command } from "./command.ts";
import { SEND } from "./declarations/send.ts";
import { writeJson } from "./output.ts";
import { stdoutStyle } from "./style.ts";

const STDIN = 0;
const BLOCK_BYTES = 64 * 1024;

export const main = command(SEND, async ({ options, positionals: [reference = ""] }) => {
  const isText = options.text !== null || options.enter;
  if (options.stdin ? isText : !isText && !options.eof) {
    throw new HoltError("EBADARGS", "nothing to send, or too much", {
      hint: "use --text TEXT, with or without --enter, or --stdin; --eof alone or with either",
    });
  }
  const sessions = new LocalSessions();
  const { session_id } = sessions.resolve(reference);
  const blocks = options.stdin ? stdinBlocks() : isText ? [typed(options.text ?? "", options.enter)] : [];
  const written = await sendInput(sessions, session_id, { blocks, after: options.eof ? "closed" : "open" });
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
