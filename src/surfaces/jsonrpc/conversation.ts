/**
 * One connection that speaks JSON-RPC 2.0 (framing.ts tells its messages apart). Calls run side by side and are answered as they end.
 *
 * Bounds: a message of 8 MiB; 64 calls at once, those of batches among them, and no new one while the other side leaves 1 MiB of answers unread. Past either, calls
 * wait where they are: in the kernel's buffer, once the connection is paused.
 *
 * Turns: a connection begins few calls, or works for a short time, in one turn of the loop (turns.ts). Then it is the others' turn, however much of its own waits.
 */
import type { Listener } from "./asking.ts";
import { type Answered, Calls, type Methods } from "./calls.ts";
import { type Framed, OpeningFraming } from "./framing.ts";
import { type Asked, broken, notificationOf, parseMessage, tooLong } from "./messages.ts";
import { Turns } from "./turns.ts";

export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
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

/** One call of a message. */
interface Task {
  asked: Asked;
  answered: Answered;
}

export class Conversation implements Listener {
  readonly #wire: Wire;
  readonly #framing = new OpeningFraming(MAX_MESSAGE_BYTES);
  /** What the other side's last message left unfinished, as a message of its own. */
  #last: Framed | null = null;
  /** Of the batch that is being worked at, the next one last. */
  readonly #tasks: Task[] = [];
  readonly #calls: Calls;
  readonly #turns = new Turns(() => this.#proceed());
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
  readonly #alone: Answered = (answer) => this.#finished(answer);
  /** Those with news who wait for room. */
  readonly #roomless: (() => void)[] = [];

  constructor(methods: Methods, wire: Wire) {
    this.#calls = new Calls(methods, this);
    this.#wire = wire;
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
    this.#tasks.length = 0;
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
    while (step === "one" && !this.#isUnread() && this.#turns.take()) step = this.#step();
    this.#isProceeding = false;
    this.#isWaiting = step !== "none";
    if (this.#isWaiting) this.#framing.keep();
    if (step === "one" && !this.#isUnread()) this.#turns.askForAnother();
    this.#pause(this.#isWaiting);
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

  #step(): Step {
    const task = this.#tasks.at(-1);
    if (task === undefined) {
      const framed = this.#framing.next() ?? this.#rest();
      if (framed !== null) this.#handle(framed);
      return framed === null ? "none" : "one";
    }
    if (this.#calls.mustWait(task.asked)) return "stuck";
    this.#tasks.pop();
    this.#begin(task.asked, task.answered);
    return "one";
  }

  /** Once, when nothing more can come. */
  #rest(): Framed | null {
    if (!this.#isEnding || this.#last !== null) return null;
    this.#last = this.#framing.rest();
    return this.#last;
  }

  #handle(framed: Framed): void {
    if (framed.kind === "too_long") return this.#send(tooLong(MAX_MESSAGE_BYTES));
    if (framed.kind === "broken") return this.#breakOff(framed.why);
    if (isBlank(framed.bytes)) return;
    const parsed = parseMessage(framed.bytes);
    this.#unanswered++;
    if (parsed.kind === "batch") this.#tasks.push(...this.#batch(parsed.asked).toReversed());
    else if (this.#calls.mustWait(parsed.asked)) this.#tasks.push({ asked: parsed.asked, answered: this.#alone });
    else this.#begin(parsed.asked, this.#alone);
  }

  #begin(asked: Asked, answered: Answered): void {
    if (!this.#calls.begin(asked, answered)) this.#turns.tookLong();
  }

  /** What is under way is still answered. */
  #breakOff(why: string): void {
    this.#send(broken(why));
    this.#isEnding = true;
  }

  /** Answered as one, in the order of its calls. */
  #batch(calls: readonly Asked[]): Task[] {
    const answers: (object | null)[] = calls.map(() => null);
    let left = calls.length;
    return calls.map((asked, i) => ({
      asked,
      answered: (answer) => {
        answers[i] = answer;
        if (--left === 0) this.#finishedAll(answers);
        else this.#proceedIfWaiting();
      },
    }));
  }

  #finishedAll(answers: readonly (object | null)[]): void {
    const told = answers.filter((answer) => answer !== null);
    this.#finished(told.length === 0 ? null : told);
  }

  #finished(answer: object | null): void {
    this.#unanswered--;
    if (answer !== null) this.#send(answer);
    this.#proceedIfWaiting();
  }

  #send(answer: object): void {
    if (!this.#isOver) this.#wire.send(this.#framing.frame(JSON.stringify(answer)));
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 32 || byte === 9 || byte === 13);
}
