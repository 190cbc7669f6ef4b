/**
 * One connection that speaks JSON-RPC 2.0, a message a line. Calls run side by side and are answered as they end.
 *
 * Bounds: a line of 8 MiB; 64 calls at once, those of batches among them, and no new one while the other side leaves 1 MiB of answers unread. Past either, calls
 * wait where they are: in the kernel's buffer, once the connection is paused.
 */
import { bytesOf } from "../../protocol/bytes.ts";
import { HoltError, JSONRPC_ERRORS } from "../../protocol/errors.ts";
import { Lines } from "./lines.ts";
import { type Asked, errorOf, type Id, parseLine, resultOf, tooLong } from "./messages.ts";

export const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_CALLS = 64;
const MAX_UNREAD_BYTES = 1024 * 1024;
const CANCEL = "$/cancelRequest";

export interface Methods {
  knows(method: string): boolean;
  call(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}

/** The connection, as far as it matters here. */
export interface Wire {
  /** Takes it all; what the other side does not read yet counts as unread. */
  send(bytes: Uint8Array): void;
  readonly unread: number;
  pause(paused: boolean): void;
  /** After what was sent. */
  end(): void;
}

/** One call of a line, and where its answer goes: null where there is nothing to say. */
interface Task {
  asked: Asked;
  answered(answer: object | null): void;
}

export class Conversation {
  readonly #methods: Methods;
  readonly #wire: Wire;
  readonly #lines = new Lines(MAX_LINE_BYTES);
  readonly #waiting: (Uint8Array | null)[] = [];
  /** Of the line that is being worked at. */
  #tasks: Task[] = [];
  readonly #calls = new Map<AbortController, Id>();
  /** Lines whose answer is not sent yet: a connection whose other side sends no more ends behind the last of them. */
  #unanswered = 0;
  #isOver = false;
  #isEnding = false;
  #isPaused = false;

  constructor(methods: Methods, wire: Wire) {
    this.#methods = methods;
    this.#wire = wire;
  }

  receive(chunk: Uint8Array): void {
    for (const line of this.#lines.push(chunk)) this.#waiting.push(line === null ? null : line.slice());
    this.#proceed();
  }

  /** The other side sends no more, and may still read. */
  ended(): void {
    const rest = this.#lines.rest();
    if (rest !== null && rest.length > 0) this.#waiting.push(rest);
    this.#isEnding = true;
    this.#proceed();
  }

  /** It read some of what was sent. */
  drained(): void {
    this.#proceed();
  }

  /** Nobody is there any more: what it asked for is given up. */
  closed(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#tasks.length = 0;
    for (const call of this.#calls.keys()) call.abort();
  }

  #proceed(): void {
    while (this.#isWaiting() && !this.#isBusy()) {
      const task = this.#tasks.shift();
      if (task === undefined) this.#handle(this.#waiting.shift() ?? null);
      else void this.#answer(task.asked).then((answer) => task.answered(answer));
    }
    const mustPause = this.#isWaiting() || this.#isBusy();
    if (mustPause !== this.#isPaused) {
      this.#isPaused = mustPause;
      this.#wire.pause(mustPause);
    }
    if (this.#isEnding && !this.#isWaiting() && this.#unanswered === 0) this.#wire.end();
  }

  #isWaiting(): boolean {
    return this.#tasks.length > 0 || this.#waiting.length > 0;
  }

  #isBusy(): boolean {
    return this.#calls.size >= MAX_CALLS || this.#wire.unread > MAX_UNREAD_BYTES;
  }

  #handle(line: Uint8Array | null): void {
    if (line === null) return this.#send(tooLong(MAX_LINE_BYTES));
    if (isBlank(line)) return;
    const parsed = parseLine(line);
    this.#unanswered++;
    if (parsed.kind === "single") this.#tasks = [{ asked: parsed.asked, answered: (answer) => this.#finished(answer) }];
    else this.#tasks = this.#batch(parsed.asked);
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
        else if (!this.#isOver) this.#proceed();
      },
    }));
  }

  /** Null where there is nothing to say. */
  async #answer(asked: Asked): Promise<object | null> {
    if (asked.kind === "invalid") return asked.answer;
    const { method, params } = asked;
    if (method === CANCEL) {
      this.#cancel(params);
      return asked.kind === "call" ? resultOf(asked.id, null) : null;
    }
    const id = asked.kind === "call" ? asked.id : null;
    const call = new AbortController();
    this.#calls.set(call, id);
    let answer: object;
    try {
      answer = resultOf(id, await this.#methods.call(method, params, call.signal));
    } catch (error) {
      const known = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error));
      answer = this.#methods.knows(method) ? errorOf(id, known) : errorOf(id, known, JSONRPC_ERRORS.method);
    }
    this.#calls.delete(call);
    return asked.kind === "call" ? answer : null;
  }

  #cancel(params: unknown): void {
    const id = (params as { id?: unknown } | null | undefined)?.id;
    for (const [call, known] of this.#calls) if (known !== null && known === id) call.abort();
  }

  #finishedAll(answers: readonly (object | null)[]): void {
    const told = answers.filter((answer) => answer !== null);
    this.#finished(told.length === 0 ? null : told);
  }

  #finished(answer: object | null): void {
    this.#unanswered--;
    if (answer !== null) this.#send(answer);
    if (!this.#isOver) this.#proceed();
  }

  #send(answer: object): void {
    if (!this.#isOver) this.#wire.send(bytesOf(`${JSON.stringify(answer)}\n`));
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 32 || byte === 9 || byte === 13);
}
