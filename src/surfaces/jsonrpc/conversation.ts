/**
 * One connection that speaks JSON-RPC 2.0 (framing.ts tells its messages apart). Calls run side by side and are answered as they end.
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
import { type Answered, Calls, canceledId, isCancel, type Listener, type Methods } from "./calls.ts";
import { type Framed, Framing } from "./framing.ts";
import { type Asked, broken, errorOf, type Id, identified, notificationOf, parseMessage, tooLong } from "./messages.ts";
import { type Clock, Turns } from "./turns.ts";
import { type Task, tooMany, Waiting } from "./waiting.ts";

const BRACE = 0x7b;
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The connection, as far as it matters here. */
export interface Wire {
  /** Takes it all; what the other side does not read yet counts as unread. */
  send(text: string): void;
  readonly unread: number;
  pause(paused: boolean): void;
  /** After what was sent. */
  end(): void;
}

/** One call or message was seen to; there is none; or the next must wait until another has ended. */
type Step = "one" | "none" | "stuck";

export class Conversation implements Listener {
  readonly #wire: Wire;
  readonly #methods: Methods;
  readonly #framing = new Framing(MAX_MESSAGE_BYTES);
  /** What the other side's last message left unfinished, as a message of its own. */
  #last: Framed | null = null;
  readonly #waiting = new Waiting();
  readonly #calls: Calls;
  readonly #turns: Turns;
  /** Messages whose answer is not sent yet: a connection whose other side sends no more ends behind the last of them. */
  #unanswered = 0;
  #isProceeding = false;
  /** Something was left when it last began calls. */
  #isWaiting = false;
  #isOver = false;
  #isEnding = false;
  #isPaused = false;
  readonly #gone = new AbortController();
  /** Of a message that is one call. */
  readonly #alone: Answered = (answer) =>
    this.#finished(answer === null ? null : JSON.stringify(this.#identified(answer)));
  /** Those with news who wait for room. */
  readonly #roomless: (() => void)[] = [];

  constructor(methods: Methods, wire: Wire, clock: Clock = () => performance.now()) {
    this.#turns = new Turns(() => this.#proceed(), clock);
    this.#calls = new Calls(methods, this);
    this.#wire = wire;
    this.#methods = methods;
  }

  receive(chunk: Uint8Array): void {
    this.#framing.feed(chunk);
    this.#turns.begin();
    this.#proceed();
  }

  /** The other side sends no more, and may still read. */
  ended(): void {
    this.#isEnding = true;
    this.#turns.begin();
    this.#proceed();
  }

  /** It read some of what was sent. */
  drained(): void {
    for (const proceed of this.#roomless.splice(0)) proceed();
    this.#turns.begin();
    this.#proceed();
  }

  /** Nobody is there any more: what it asked for is given up. */
  closed(): void {
    this.#isOver = true;
    this.#waiting.clear();
    this.#turns.end();
    this.#calls.abort();
    this.#gone.abort();
    for (const proceed of this.#roomless.splice(0)) proceed();
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  async tell(method: string, params: object): Promise<void> {
    this.#send(notificationOf(method, params));
    if (this.#isOver || this.#wire.unread <= MAX_UNREAD_BYTES) return;
    await new Promise<void>((resolve) => this.#roomless.push(resolve));
  }

  #proceedIfWaiting(): void {
    if (this.#isWaiting || this.#isEnding) this.#proceed();
  }

  /** Begins calls while it may. An answer that is there at once comes back here, and finds that somebody is at it. */
  #proceed(): void {
    if (this.#isProceeding || this.#isOver) return;
    this.#isProceeding = true;
    let step: Step = "one";
    while (step === "one" && !this.#isUnread() && (this.#isIdle() || this.#turns.take())) step = this.#step();
    this.#isProceeding = false;
    this.#isWaiting = step !== "none";
    const hasMore = step === "one";
    if (hasMore && !this.#isUnread()) this.#turns.askForAnother();
    this.#pause(hasMore);
    if (this.#isEnding && !this.#isWaiting && this.#unanswered === 0) this.#wire.end();
  }

  #pause(mustPause: boolean): void {
    if (mustPause === this.#isPaused) return;
    this.#isPaused = mustPause;
    this.#wire.pause(mustPause);
  }

  #isUnread(): boolean {
    return this.#wire.unread > MAX_UNREAD_BYTES;
  }

  /** There is nothing to take a turn for. */
  #isIdle(): boolean {
    return this.#framing.isSpent && !this.#isEnding && this.#waiting.next() === null;
  }

  #step(): Step {
    const task = this.#waiting.next();
    if (task !== null && !this.#calls.mustWait(task.asked)) {
      this.#waiting.take();
      this.#begin(task);
      return "one";
    }
    const framed = this.#framing.next() ?? this.#rest();
    if (framed !== null) this.#handle(framed);
    if (framed !== null) return "one";
    return task === null ? "none" : "stuck";
  }

  /** Once, when nothing more can come. */
  #rest(): Framed | null {
    if (!this.#isEnding || this.#last !== null) return null;
    this.#last = this.#framing.rest();
    return this.#last;
  }

  #handle(framed: Framed): void {
    if (framed.kind === "too_long") return this.#send(this.#identified(tooLong(MAX_MESSAGE_BYTES)));
    if (framed.kind === "broken") return this.#breakOff(framed.why);
    if (isBlank(framed.bytes)) return;
    const parsed = parseMessage(framed.bytes);
    const bytes = framed.bytes.length;
    this.#unanswered++;
    if (parsed.kind === "batch") return this.#wait(this.#batch(parsed.asked, bytes), bytes);
    const task = { asked: parsed.asked, answered: this.#alone, bytes };
    if (isCancel(task.asked)) return this.#cancel(task);
    if (this.#waiting.next() === null && !this.#calls.mustWait(task.asked)) return this.#begin(task);
    this.#wait([task], bytes);
  }

  #wait(tasks: readonly Task[], bytes: number): void {
    const hasRoom = this.#waiting.hasRoomFor(bytes);
    for (const task of tasks)
      if (isCancel(task.asked)) this.#cancel(task);
      else if (hasRoom) this.#waiting.push(task);
      else task.answered(tooMany(task.asked));
  }

  #begin({ asked, answered, refusal }: Task): void {
    const refused = refusal?.() ?? null;
    if (refused !== null) return answered(refused);
    if (!this.#calls.begin(asked, answered)) this.#turns.tookLong();
  }

  /** Also of what has not begun. */
  #cancel({ asked, answered }: Task): void {
    const id = canceledId(asked) as Id;
    const task = this.#waiting.giveUp(id);
    task?.answered(errorOf(id, new HoltError("ECANCELED", "the call was canceled before it began")));
    this.#calls.begin(asked, answered);
  }

  /** What is under way is still answered. */
  #breakOff(why: string): void {
    this.#send(this.#identified(broken(why)));
    this.#isEnding = true;
  }

  /** Answered as one. */
  #batch(calls: readonly Asked[], bytes: number): Task[] {
    const answers = new BatchAnswers(calls.length, {
      over: (text) => this.#finished(text),
      identified: (answer) => this.#identified(answer),
    });
    return calls.map((asked, i) => {
      const put = answers.answered(i, asked);
      return {
        asked,
        bytes: bytes / calls.length,
        refusal: () => answers.refusal(asked),
        answered: (answer) => {
          put(answer);
          this.#proceedIfWaiting();
        },
      };
    });
  }

  #identified<A extends object>(answer: A): A {
    return identified(answer, (error) => this.#methods.refused(error));
  }

  /** Null: there is nothing left to send. */
  #finished(answer: string | null): void {
    this.#unanswered--;
    if (answer !== null) this.#sendText(answer);
    this.#proceedIfWaiting();
  }

  #send(message: object): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(message: string): void {
    if (!this.#isOver) this.#wire.send(this.#framing.frame(message));
  }
}

function isBlank(line: Uint8Array): boolean {
  return line[0] !== BRACE && line.every((byte) => byte === 32 || byte === 9 || byte === 13 || byte === 10);
}
