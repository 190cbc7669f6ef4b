/**
 * One connection that speaks JSON-RPC 2.0 (framing.ts tells its messages apart). Calls run side by side and are onAnswer as they end.
 *
 * Bounds: a message of 8 MiB; 64 calls at once, those of batches among them, and no new one while the other side leaves 1 MiB of answers unread. Past the unread, calls
 * wait where they are: in the kernel's buffer, as the connection is paused. Behind 64 that take their time it is read on, so that to give one up, or to hang up, is heard at once;
 * what else comes waits here, 8 MiB of it (waiting.ts), and past that is refused with ERLIMIT.
 *
 * Turns: a connection begins few calls, or works for a short time, in one turn of the loop (turns.ts). Then it is the others' turn, however much of its own waits.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../protocol/wire/json-rpc.ts";
import { BatchAnswers } from "./batch-answers.ts";
import { type AnswerCallback, Calls, idToCancel, isCancel, type NotificationSink, type Methods } from "./calls.ts";
import { type Framed, Framing } from "./framing.ts";
import {
  type RpcRequest,
  parseError,
  errorOf,
  type Id,
  withCorrelationId,
  notificationOf,
  parseMessage,
  messageTooLong,
} from "./messages.ts";
import { type Clock, TurnBudget } from "./turn-budget.ts";
import { type QueuedCall, queueFull, CallQueue } from "./call-queue.ts";

const BRACE = 0x7b;
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The connection, as far as it matters here. */
export interface RpcTransport {
  /** Takes it all; what the other side does not read yet counts as unread. */
  send(text: string): void;
  readonly unread: number;
  pause(paused: boolean): void;
  /** After what was sent. */
  end(): void;
}

/** One call or message was seen to; there is none; or the next must wait until another has ended. */
type Step = "one" | "none" | "stuck";

export class RpcConnection implements NotificationSink {
  readonly #transport: RpcTransport;
  readonly #methods: Methods;
  readonly #framing = new Framing(MAX_MESSAGE_BYTES);
  /** What the other side's last message left unfinished, as a message of its own. */
  #unfinished: Framed | null = null;
  readonly #queue = new CallQueue();
  readonly #calls: Calls;
  readonly #turn: TurnBudget;
  /** Messages whose answer is not sent yet: a connection whose other side sends no more ends behind the last of them. */
  #unanswered = 0;
  #isProcessing = false;
  /** Something was left when it last began calls. */
  #isPending = false;
  #isClosed = false;
  #isEnding = false;
  #isPaused = false;
  readonly #closed = new AbortController();
  /** Of a message that is one call. */
  readonly #answerSingle: AnswerCallback = (answer) =>
    this.#onAnswer(answer === null ? null : JSON.stringify(this.#withCorrelationId(answer)));
  /** Those with news who wait for room. */
  readonly #awaitingDrain: (() => void)[] = [];

  constructor(methods: Methods, wire: RpcTransport, clock: Clock = () => performance.now()) {
    this.#turn = new TurnBudget(() => this.#process(), clock);
    this.#calls = new Calls(methods, this);
    this.#transport = wire;
    this.#methods = methods;
  }

  receive(chunk: Uint8Array): void {
    this.#framing.feed(chunk);
    this.#turn.begin();
    this.#process();
  }

  /** The other side sends no more, and may still read. */
  ended(): void {
    this.#isEnding = true;
    this.#turn.begin();
    this.#process();
  }

  /** It read some of what was sent. */
  drained(): void {
    for (const proceed of this.#awaitingDrain.splice(0)) proceed();
    this.#turn.begin();
    this.#process();
  }

  /** Nobody is there any more: what it request for is given up. */
  closed(): void {
    this.#isClosed = true;
    this.#queue.clear();
    this.#turn.cancel();
    this.#calls.abort();
    this.#closed.abort();
    for (const proceed of this.#awaitingDrain.splice(0)) proceed();
  }

  get closeSignal(): AbortSignal {
    return this.#closed.signal;
  }

  async notify(method: string, params: object): Promise<void> {
    this.#send(notificationOf(method, params));
    if (this.#isClosed || this.#transport.unread <= MAX_UNREAD_BYTES) return;
    await new Promise<void>((resolve) => this.#awaitingDrain.push(resolve));
  }

  #processIfPending(): void {
    if (this.#isPending || this.#isEnding) this.#process();
  }

  /** Begins calls while it may. An answer that is there at once comes back here, and finds that somebody is at it. */
  #process(): void {
    if (this.#isProcessing || this.#isClosed) return;
    this.#isProcessing = true;
    let step: Step = "one";
    while (step === "one" && !this.#isBackedUp() && (this.#isIdle() || this.#turn.take())) step = this.#step();
    this.#isProcessing = false;
    this.#isPending = step !== "none";
    const hasMore = step === "one";
    if (hasMore && !this.#isBackedUp()) this.#turn.schedule();
    this.#pause(hasMore);
    if (this.#isEnding && !this.#isPending && this.#unanswered === 0) this.#transport.end();
  }

  #pause(mustPause: boolean): void {
    if (mustPause === this.#isPaused) return;
    this.#isPaused = mustPause;
    this.#transport.pause(mustPause);
  }

  #isBackedUp(): boolean {
    return this.#transport.unread > MAX_UNREAD_BYTES;
  }

  /** There is nothing to take a turn for. */
  #isIdle(): boolean {
    return this.#framing.isSpent && !this.#isEnding && this.#queue.next() === null;
  }

  #step(): Step {
    const task = this.#queue.next();
    if (task !== null && !this.#calls.mustWait(task.request)) {
      this.#queue.take();
      this.#begin(task);
      return "one";
    }
    const framed = this.#framing.next() ?? this.#takeUnfinished();
    if (framed !== null) this.#handle(framed);
    if (framed !== null) return "one";
    return task === null ? "none" : "stuck";
  }

  /** Once, when nothing more can come. */
  #takeUnfinished(): Framed | null {
    if (!this.#isEnding || this.#unfinished !== null) return null;
    this.#unfinished = this.#framing.unfinished();
    return this.#unfinished;
  }

  #handle(framed: Framed): void {
    if (framed.kind === "too_long") return this.#send(this.#withCorrelationId(messageTooLong(MAX_MESSAGE_BYTES)));
    if (framed.kind === "broken") return this.#failFraming(framed.why);
    if (isBlank(framed.bytes)) return;
    const parsed = parseMessage(framed.bytes);
    const bytes = framed.bytes.length;
    this.#unanswered++;
    if (parsed.kind === "batch") return this.#enqueue(this.#batch(parsed.requests, bytes), bytes);
    const task = { request: parsed.request, onAnswer: this.#answerSingle, bytes };
    if (isCancel(task.request)) return this.#cancel(task);
    if (this.#queue.next() === null && !this.#calls.mustWait(task.request)) return this.#begin(task);
    this.#enqueue([task], bytes);
  }

  #enqueue(tasks: readonly QueuedCall[], bytes: number): void {
    const hasRoom = this.#queue.hasRoomFor(bytes);
    for (const task of tasks)
      if (isCancel(task.request)) this.#cancel(task);
      else if (hasRoom) this.#queue.push(task);
      else task.onAnswer(queueFull(task.request));
  }

  #begin({ request, onAnswer, refusal }: QueuedCall): void {
    const refused = refusal?.() ?? null;
    if (refused !== null) return onAnswer(refused);
    if (!this.#calls.begin(request, onAnswer)) this.#turn.chargeLongCall();
  }

  /** Also of what has not begun. */
  #cancel({ request, onAnswer }: QueuedCall): void {
    const id = idToCancel(request) as Id;
    const task = this.#queue.cancel(id);
    task?.onAnswer(errorOf(id, new HoltError("ECANCELED", "the call was canceled before it began")));
    this.#calls.begin(request, onAnswer);
  }

  /** What is under way is still answered. */
  #failFraming(why: string): void {
    this.#send(this.#withCorrelationId(parseError(why)));
    this.#isEnding = true;
  }

  /** Answered as one. */
  #batch(calls: readonly RpcRequest[], bytes: number): QueuedCall[] {
    const answers = new BatchAnswers(calls.length, {
      done: (text) => this.#onAnswer(text),
      withCorrelationId: (answer) => this.#withCorrelationId(answer),
    });
    return calls.map((request, i) => {
      const put = answers.callback(i, request);
      return {
        request,
        bytes: bytes / calls.length,
        refusal: () => answers.refusal(request),
        onAnswer: (answer) => {
          put(answer);
          this.#processIfPending();
        },
      };
    });
  }

  #withCorrelationId<A extends object>(answer: A): A {
    return withCorrelationId(answer, (error) => this.#methods.refused(error));
  }

  /** Null: there is nothing left to send. */
  #onAnswer(answer: string | null): void {
    this.#unanswered--;
    if (answer !== null) this.#sendText(answer);
    this.#processIfPending();
  }

  #send(message: object): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(message: string): void {
    if (!this.#isClosed) this.#transport.send(this.#framing.frame(message));
  }
}

function isBlank(line: Uint8Array): boolean {
  return line[0] !== BRACE && line.every((byte) => byte === 32 || byte === 9 || byte === 13 || byte === 10);
}
