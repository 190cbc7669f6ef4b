/** `holt send`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { sendInput, type InputPart } from "../../../client/sessions/send-input.ts";
import { readSync } from "../../../platform/fs/libc-fs.ts";
import { bytesOf, joined } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { MAX_INPUT_BYTES } from "../../../protocol/wire/holder-methods.ts";
import { askSecret } from "./ask-secret.ts";
import { command } from "../../declarations/command.ts";
import { contentsOf } from "../../options/contents-of.ts";
import { SEND } from "../../declarations/output/send.ts";
import { writeJson } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";
import { conditionFrom, timeoutFrom, waitAndReport } from "./waiting.ts";

const STDIN = 0;
const BLOCK_BYTES = 64 * 1024;

export const main = command(SEND, async ({ options, positionals: [reference = ""] }) => {
  const isFollowed = options.enter || options.keys.length > 0;
  const ways = [options.text !== null, options.stdin, options.paste !== null, options.secret].filter(Boolean).length;
  if (ways > 1 || (options.stdin && isFollowed) || (ways === 0 && !isFollowed && !options.eof)) {
    throw new HoltError("EBADARGS", ways === 0 ? "nothing to send" : "too many inputs", {
      hint: "use one of --text TEXT, --paste FILE and --secret, with --enter or --keys KEYS after it; or --stdin alone; --eof may be added to any of them",
    });
  }
  const until = options.until.map(conditionFrom);
  const timeoutMs = timeoutFrom(options.timeout);
  if (options.timeout !== null && until.length === 0)
    throw new HoltError("EBADARGS", "--timeout needs --until", {
      hint: "use e.g. --until match=REGEX; without --until, send does not wait",
    });
  const keys = options.keys.flatMap(keyList);
  const sessions = new LocalSessions();
  const { session_id, size } = sessions.resolve(reference);
  // On pipes no terminal translates the Enter key to a newline.
  const enter = options.enter ? (size === null ? "\n" : "\r") : "";
  const sent: InputPart[] = [];
  if (options.paste !== null) sent.push({ paste: pasted(options.paste) });
  if (options.secret) sent.push({ secret: secretWith(enter, reference) });
  else if (options.text !== null || options.enter) sent.push({ input: bytesOf(`${options.text ?? ""}${enter}`) });
  if (keys.length > 0) sent.push({ keys });
  const { bytes_written, next_cursor } = await sendInput(sessions, session_id, {
    parts: options.stdin ? stdinBlocks() : sent,
    after: options.eof ? "closed" : "open",
    takeover: options.takeover,
  });
  const json = options.json ? { bytes_written, next_cursor: String(next_cursor) } : null;
  if (until.length > 0)
    return waitAndReport({ sessions, id: session_id, cursor: next_cursor, until, timeoutMs, json, exitsAlike: false });
  if (json !== null) writeJson(json, stdoutStyle());
  return 0;
});

/** Refuses a file that is too large before anything is sent. */
function pasted(path: string): Uint8Array {
  const bytes = contentsOf(path, "--paste takes a file, or - for stdin");
  if (bytes.length <= MAX_INPUT_BYTES) return bytes;
  const what = path === "-" ? "stdin" : path;
  throw new HoltError(
    "EBADARGS",
    `${what} is too large to paste: ${bytes.length} bytes, at most ${MAX_INPUT_BYTES} (2 MiB)`,
    {
      hint: "`holt send --stdin < FILE` sends a file of any size",
    },
  );
}

function secretWith(enter: string, reference: string): Uint8Array {
  return joined([askSecret(`secret for ${reference}: `), bytesOf(enter)]);
}

function* stdinBlocks(): Generator<InputPart> {
  const block = new Uint8Array(BLOCK_BYTES);
  for (let length = readSync(STDIN, block); length > 0; length = readSync(STDIN, block))
    yield { input: block.slice(0, length) };
}

/** Key names separated by commas, e.g. "ctrl-c,up,enter". The comma key is `comma`. */
function keyList(text: string): string[] {
  return text
    .split(",")
    .map((name) => (name.trim().toLowerCase() === "comma" ? "," : name === " " ? " " : name.trim()));
}
