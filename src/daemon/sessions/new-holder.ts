/**
 * A holder started by the daemon and the channel to it: one request, one reply, then a notice per
 * session end.
 */
import { closeQuietly, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { openSync } from "../../platform/fs/libc-fs.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { send, signalNumber } from "../../platform/process/signals.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { socketPair } from "../../platform/sockets/unix-socket.ts";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { adoptSocket } from "../../platform/native/adopt-socket.ts";
import {
  type EndNotice,
  type FreeNotice,
  HOLDER_COMMAND,
  REPLY_FD,
  REQUEST_FD,
  type StartReply,
  type StartRequest,
  WARM,
} from "../../protocol/wire/start-request.ts";

const NEWLINE = 10;
const SIGCONT = signalNumber("SIGCONT");
const SIGKILL = signalNumber("SIGKILL");

const NO_ANSWER: StartReply = {
  error: { code: "EINTERNAL", message: "the holder ended without an answer", hint: "see log/holt.jsonl" },
  exit_code: 125,
  is_unheard: true,
};

export interface HolderEvents {
  /** The session's final record is on disk. */
  ended(notice: EndNotice): void;
  /**
   * No more messages follow: the holder exits, was killed, or could not start the command. May be
   * called more than once.
   */
  gone(): void;
}

export class NewHolder {
  readonly pid: number;
  #reply = Promise.withResolvers<StartReply>();
  /** Called when its session is done and it can take another. */
  freed: () => void = () => {};
  /** Called when it ended without a session. */
  endedUnused: () => void = () => {};
  #socket: Bun.Socket | null = null;
  #unread: Uint8Array = new Uint8Array(0);
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  #isAnswered = false;
  #isGone = false;
  #events: HolderEvents | null = null;
  #deadline: ReturnType<typeof setTimeout> | null = null;

  private constructor(pid: number) {
    this.pid = pid;
  }

  /** A request sent while it starts up waits in the socket. */
  static async spawn(env: readonly Uint8Array[]): Promise<NewHolder> {
    const [ours, theirs] = socketPair();
    const devNull = openSync("/dev/null", fileConstants.O_RDWR);
    let holder: NewHolder;
    try {
      holder = new NewHolder(start(env, devNull, theirs));
    } catch (error) {
      closeQuietly(ours);
      throw error;
    } finally {
      [devNull, theirs].forEach(closeQuietly);
    }
    setNonBlocking(ours);
    holder.#socket = await adoptSocket(ours, {
      data: (_socket, bytes) => holder.#receive(bytes),
      drain: () => void holder.#unsent.drain(),
      close: () => holder.#closed(),
      error: () => holder.#closed(),
    });
    return holder;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Called once per session. If the holder ends, or says nothing for `answerMs`, the reply is
   * NO_ANSWER.
   */
  start(request: StartRequest, events: HolderEvents, answerMs: number): Promise<StartReply> {
    this.#events = events;
    if (this.#isGone) this.#closed();
    else {
      this.#unsent.send(bytesOf(`${JSON.stringify(request)}\n`));
      send(this.pid, SIGCONT); // a SIGSTOP was not meant for this session
      // A holder frozen in another way must not start the command after the caller got its error.
      this.#deadline = setTimeout(() => send(this.pid, SIGKILL), answerMs);
    }
    return this.#reply.promise;
  }

  /** A holder without a request ends when its channel closes. */
  close(): void {
    if (!this.#isGone) send(this.pid, SIGCONT); // a stopped process would not notice
    this.#socket?.terminate();
  }

  #receive(bytes: Uint8Array): void {
    this.#unread = joined([this.#unread, bytes]);
    for (let end = this.#unread.indexOf(NEWLINE); end >= 0; end = this.#unread.indexOf(NEWLINE)) {
      const line = textOf(this.#unread.subarray(0, end));
      this.#unread = this.#unread.subarray(end + 1);
      const message = JSON.parse(line) as StartReply | EndNotice | FreeNotice;
      if ("ended" in message) this.#events?.ended(message);
      else if ("free" in message) this.#free();
      else {
        this.#isAnswered = true;
        this.#stopDeadline();
        this.#reply.resolve(message);
        if ("error" in message) this.#events?.gone();
      }
    }
  }

  #free(): void {
    const events = this.#events;
    this.#events = null;
    this.#reply = Promise.withResolvers();
    this.#isAnswered = false;
    events?.gone();
    this.freed();
  }

  #stopDeadline(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
  }

  #closed(): void {
    this.#isGone = true;
    this.#stopDeadline();
    if (this.#isAnswered) this.#events?.gone();
    else if (this.#events !== null) this.#reply.resolve(NO_ANSWER);
    else this.endedUnused();
  }
}

function start(env: readonly Uint8Array[], devNull: number, channel: number): number {
  const argv = [...ownCommand(), HOLDER_COMMAND, WARM].map(bytesOf);
  return spawn({
    path: argv[0] ?? new Uint8Array(0),
    argv,
    env,
    fds: new Map([
      [0, devNull],
      [1, devNull],
      [2, devNull],
      [REQUEST_FD, channel],
      [REPLY_FD, channel],
    ]),
    place: "new_session",
    signals: "default",
  });
}
