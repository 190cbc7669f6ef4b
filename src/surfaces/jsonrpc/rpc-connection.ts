/**
 * A JSON-RPC 2.0 connection: runs calls concurrently and answers them as they end.
 *
 * Bounds: messages of 8 MiB, 64 running calls, 8 MiB of queued calls (call-queue.ts). While 64
 * calls run, reading continues, so that a cancel or a hang-up takes effect at once. While the
 * client has 1 MiB of answers unread, the connection is paused and calls wait in the kernel's
 * buffer. turn-budget.ts limits the work in one turn of the event loop.
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

/** The byte stream below a JSON-RPC connection. */
export interface RpcTransport {
  /** Accepts everything; what the client has not read counts as unread. */
  send(text: string): void;
  readonly unread: number;
  pause(paused: boolean): void;
  /** Ends the stream behind what was sent. */
  end(): void;
}

/**
 * "one": one call or message was handled; "none": nothing is left; "stuck": the next call must wait
 * for a running one.
 */
type Step = "one" | "none" | "stuck";

export class RpcConnection implements NotificationSink {
  readonly #transport: RpcTransport;
  readonly #methods: Methods;
  readonly #framing = new Framing(MAX_MESSAGE_BYTES);
  /** The incomplete message at the end of input. */
  #unfinished: Framed | null = null;
  readonly #queue = new CallQueue();
  readonly #calls: Calls;
  readonly #turn: TurnBudget;
  /**
   * Messages without an answer yet: after the end of input, the connection ends behind the last
   * answer.
   */
  #unanswered = 0;
  #isProcessing = false;
  /** Something was left after the last #process(). */
  #isPending = false;
  #isClosed = false;
  #isEnding = false;
  #isPaused = false;
  readonly #closed = new AbortController();
  /** Sends the answer to a message of one call. */
  readonly #answerSingle: AnswerCallback = (answer) =>
    this.#messageAnswered(answer === null ? null : JSON.stringify(this.#withCorrelationId(answer)));
  /** Notifications that wait for room. */
  readonly #drainWaiters: (() => void)[] = [];

  constructor(methods: Methods, transport: RpcTransport, clock: Clock = () => performance.now()) {
    this.#turn = new TurnBudget(() => this.#process(), clock);
    this.#calls = new Calls(methods, this);
    this.#transport = transport;
    this.#methods = methods;
  }

  receive(chunk: Uint8Array): void {
    this.#framing.feed(chunk);
    this.#turn.begin();
    this.#process();
  }

  /** The client sends no more, but may still read. */
  ended(): void {
    this.#isEnding = true;
    this.#turn.begin();
    this.#process();
  }

  /** The client has read some of what was sent. */
  drained(): void {
    for (const resume of this.#drainWaiters.splice(0)) resume();
    this.#turn.begin();
    this.#process();
  }

  /** The connection is closed: its calls are canceled. */
  closed(): void {
    this.#isClosed = true;
    this.#queue.clear();
    this.#turn.cancel();
    this.#calls.abortAll();
    this.#closed.abort();
    for (const resume of this.#drainWaiters.splice(0)) resume();
  }

  get closeSignal(): AbortSignal {
    return this.#closed.signal;
  }

  async notify(method: string, params: object): Promise<void> {
    this.#send(notificationOf(method, params));
    if (this.#isClosed || this.#transport.unread <= MAX_UNREAD_BYTES) return;
    await new Promise<void>((resolve) => this.#drainWaiters.push(resolve));
  }

  #processIfPending(): void {
    if (this.#isPending || this.#isEnding) this.#process();
  }

  /** Begins calls within the limits. A synchronous answer re-enters here and returns at once. */
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

  #pause(shouldPause: boolean): void {
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    this.#transport.pause(shouldPause);
  }

  #isBackedUp(): boolean {
    return this.#transport.unread > MAX_UNREAD_BYTES;
  }

  /** True when there is nothing to do, so no turn is taken. */
  #isIdle(): boolean {
    return this.#framing.isSpent && !this.#isEnding && this.#queue.next() === null;
  }

  #step(): Step {
    const call = this.#queue.next();
    if (call !== null && !this.#calls.mustWait(call.request)) {
      this.#queue.take();
      this.#begin(call);
      return "one";
    }
    const framed = this.#framing.next() ?? this.#takeUnfinished();
    if (framed !== null) this.#handle(framed);
    if (framed !== null) return "one";
    return call === null ? "none" : "stuck";
  }

  /** Takes the incomplete message once, at the end of input. */
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
    const call = { request: parsed.request, onAnswer: this.#answerSingle, bytes };
    if (isCancel(call.request)) return this.#cancel(call);
    if (this.#queue.next() === null && !this.#calls.mustWait(call.request)) return this.#begin(call);
    this.#enqueue([call], bytes);
  }

  #enqueue(calls: readonly QueuedCall[], bytes: number): void {
    const hasRoom = this.#queue.hasRoomFor(bytes);
    for (const call of calls)
      if (isCancel(call.request)) this.#cancel(call);
      else if (hasRoom) this.#queue.push(call);
      else call.onAnswer(queueFull(call.request));
  }

  #begin({ request, onAnswer, refusal }: QueuedCall): void {
    const refused = refusal?.() ?? null;
    if (refused !== null) return onAnswer(refused);
    if (!this.#calls.begin(request, onAnswer)) this.#turn.chargeLongCall();
  }

  /** Cancels a running call, or one that is still queued. */
  #cancel({ request, onAnswer }: QueuedCall): void {
    const id = idToCancel(request) as Id;
    const call = this.#queue.cancel(id);
    call?.onAnswer(errorOf(id, new HoltError("ECANCELED", "the call was canceled before it began")));
    this.#calls.begin(request, onAnswer);
  }

  /** Running calls are still answered. */
  #failFraming(why: string): void {
    this.#send(this.#withCorrelationId(parseError(why)));
    this.#isEnding = true;
  }

  /** The calls of a batch, which are answered in one message. */
  #batch(calls: readonly RpcRequest[], bytes: number): QueuedCall[] {
    const answers = new BatchAnswers(calls.length, {
      done: (text) => this.#messageAnswered(text),
      withCorrelationId: (answer) => this.#withCorrelationId(answer),
    });
    return calls.map((request, i) => {
      const setAnswer = answers.callback(i, request);
      return {
        request,
        bytes: bytes / calls.length,
        refusal: () => answers.refusal(request),
        onAnswer: (answer) => {
          setAnswer(answer);
          this.#processIfPending();
        },
      };
    });
  }

  #withCorrelationId<A extends object>(answer: A): A {
    return withCorrelationId(answer, (error) => this.#methods.logRefused(error));
  }

  /** A message is done; null: nothing is sent. */
  #messageAnswered(answer: string | null): void {
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
