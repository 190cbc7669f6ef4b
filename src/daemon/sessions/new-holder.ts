/** A holder that the daemon started, and the channel to it: one request, its reply, and later word of each session's end. */
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

const UNHEARD: StartReply = {
  error: { code: "EINTERNAL", message: "the holder ended without a word", hint: "log/holt.jsonl may tell more" },
  exit_code: 125,
  is_unheard: true,
};

export interface HolderEvents {
  /** The last word on a session is on disk. */
  ended(notice: EndNotice): void;
  /** Nothing more is heard of it: it is about to exit, was killed, or could not start anything. May be told more than once. */
  gone(): void;
}

export class NewHolder {
  readonly pid: number;
  #reply = Promise.withResolvers<StartReply>();
  /** Told when nothing of its session is left, and it takes another. */
  freed: () => void = () => {};
  /** Told when it has ended without a session. */
  left: () => void = () => {};
  #socket: Bun.Socket | null = null;
  #unread: Uint8Array = new Uint8Array(0);
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  #isAnswered = false;
  #isGone = false;
  #events: HolderEvents | null = null;
  #givenUp: ReturnType<typeof setTimeout> | null = null;

  private constructor(pid: number) {
    this.pid = pid;
  }

  /** It comes up by itself; what it is told meanwhile it reads then. */
  static async spawn(env: readonly Uint8Array[]): Promise<NewHolder> {
    const [ours, theirs] = socketPair();
    const nowhere = openSync("/dev/null", fileConstants.O_RDWR);
    let holder: NewHolder;
    try {
      holder = new NewHolder(start(env, nowhere, theirs));
    } catch (error) {
      closeQuietly(ours);
      throw error;
    } finally {
      [nowhere, theirs].forEach(closeQuietly);
    }
    setNonBlocking(ours);
    holder.#socket = await adoptSocket(ours, {
      data: (_socket, bytes) => holder.#receive(bytes),
      drain: () => void holder.#unsent.drain(),
      close: () => holder.#hungUp(),
      error: () => holder.#hungUp(),
    });
    return holder;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Once. One that ends before it has answered answers so, and that is all that is heard of it; so does one that says nothing for `answerMs`. */
  start(request: StartRequest, events: HolderEvents, answerMs: number): Promise<StartReply> {
    this.#events = events;
    if (this.#isGone) this.#hungUp();
    else {
      this.#unsent.send(bytesOf(`${JSON.stringify(request)}\n`));
      send(this.pid, SIGCONT); // nobody who stopped it meant this session
      // One that is frozen in another way must not start it when whoever asked has long been told that it was not.
      this.#givenUp = setTimeout(() => send(this.pid, SIGKILL), answerMs);
    }
    return this.#reply.promise;
  }

  /** One that was told nothing ends by that. */
  close(): void {
    if (!this.#isGone) send(this.pid, SIGCONT); // stopped, it would stay
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
        this.#heardOf();
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

  #heardOf(): void {
    if (this.#givenUp !== null) clearTimeout(this.#givenUp);
  }

  #hungUp(): void {
    this.#isGone = true;
    this.#heardOf();
    if (this.#isAnswered) this.#events?.gone();
    else if (this.#events !== null) this.#reply.resolve(UNHEARD);
    else this.left();
  }
}

function start(env: readonly Uint8Array[], nowhere: number, channel: number): number {
  const argv = [...ownCommand(), HOLDER_COMMAND, WARM].map(bytesOf);
  return spawn({
    path: argv[0] ?? new Uint8Array(0),
    argv,
    env,
    fds: new Map([
      [0, nowhere],
      [1, nowhere],
      [2, nowhere],
      [REQUEST_FD, channel],
      [REPLY_FD, channel],
    ]),
    place: "new_session",
    signals: "default",
  });
}
