/** Starts a holder process without the daemon, and reads its reply about the start. */
import { closeQuietly, privatePipe } from "../../platform/fs/descriptors.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { openSync, readToEnd, writeAll } from "../../platform/fs/libc-fs.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { ownEnvironment } from "../../platform/process/own-environment.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import {
  HOLDER_COMMAND,
  REPLY_FD,
  REQUEST_FD,
  type StartReply,
  type StartRequest,
} from "../../protocol/wire/start-request.ts";

export function startHolder(request: StartRequest): StartReply {
  const requestPipe = privatePipe();
  const replyPipe = privatePipe();
  const devNull = openSync("/dev/null", fileConstants.O_RDWR);
  const argv = [...ownCommand(), HOLDER_COMMAND].map(bytesOf);
  try {
    spawn({
      path: argv[0] ?? new Uint8Array(0),
      argv,
      env: ownEnvironment(),
      fds: new Map([
        [0, devNull],
        [1, devNull],
        [2, devNull],
        [REQUEST_FD, requestPipe.readEnd],
        [REPLY_FD, replyPipe.writeEnd],
      ]),
      place: "new_session",
      signals: "default",
    });
  } finally {
    [devNull, requestPipe.readEnd, replyPipe.writeEnd].forEach(closeQuietly);
  }
  try {
    writeAll(requestPipe.writeEnd, bytesOf(JSON.stringify(request)));
  } finally {
    closeQuietly(requestPipe.writeEnd);
  }
  const line = textOf(readToEnd(replyPipe.readEnd));
  closeQuietly(replyPipe.readEnd);
  if (line !== "") return JSON.parse(line) as StartReply;
  const error = { code: "EINTERNAL", message: "the holder ended without an answer", hint: "see log/holt.jsonl" };
  return { error, exit_code: 125 };
}
