/** What a person types while they are attached, on its way to the holder, and their terminal's size. */
import { KeyThread } from "../platform/key-thread.ts";
import type { Person, PersonEvents } from "../platform/person.ts";
import { ATTACH_FRAME, type AttachRequest } from "../protocol/attach.ts";
import type { TerminalSize } from "../protocol/session.ts";
import { isOwnReport } from "../terminal/own-reports.ts";
import type { DetachMatcher } from "../terminal/detach-keys.ts";
import type { Attached } from "./attached.ts";
import type { Loan } from "./loan.ts";

/** Ctrl-C: to whoever cannot type, the way out. */
const INTERRUPT = 3;

export interface AttachKeysOptions {
  person: Person;
  /** The descriptor that the person types at. */
  terminal: number;
  request: AttachRequest;
  detachKeys: DetachMatcher;
  loan: Loan;
  /** The connection of the moment. */
  attached: () => Attached;
  detach(): void;
  /** Typed where one only watches. */
  ignored(): void;
  hungUp(): void;
}

export function isKnown({ cols, rows }: { cols: number; rows: number }): boolean {
  return cols > 0 && rows > 0;
}

function isSame(one: { cols: number; rows: number }, other: { cols: number; rows: number }): boolean {
  return one.cols === other.cols && one.rows === other.rows;
}

export class AttachKeys implements PersonEvents {
  readonly #options: AttachKeysOptions;
  #hasBegun = false;
  #isFirstSize = true;
  #isLeaving = false;
  #thread: KeyThread | null = null;
  /** What the thread had sent, which sends keys alone, when the terminal's own report was the last that went from here; null after a key. */
  #reportAt: number | null = null;

  constructor(options: AttachKeysOptions) {
    this.#options = options;
  }

  /** Once we are let in: until then what is typed stays in the terminal, for the shell if we are refused. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#options.person.begin(this);
  }

  /** One that sends what needs no look from here, where there can be one. */
  startThread(): KeyThread | null {
    const { person, terminal, request, detachKeys, attached } = this.#options;
    if (request.role !== "driver") return null;
    person.readWith((read) => {
      this.#thread = KeyThread.start({
        terminal,
        frameType: ATTACH_FRAME.lentInput,
        told: detachKeys.telling,
        typed: (bytes) => this.typed(bytes),
        read,
        maySend: () => detachKeys.isIdle && attached().isSent,
      });
      return this.#thread;
    });
    return this.#thread;
  }

  /** Whether the last that was sent was not typed. */
  get wasReport(): boolean {
    return this.#reportAt !== null && this.#reportAt === (this.#thread?.sent ?? 0);
  }

  typed(bytes: Uint8Array): void {
    if (this.#isLeaving) return;
    const { request, detachKeys } = this.#options;
    const { pass, detached } = detachKeys.push(bytes);
    const isViewer = request.role === "viewer";
    this.#isLeaving = detached || (isViewer && pass.includes(INTERRUPT));
    if (this.#isLeaving) this.#options.detach();
    if (pass.length === 0) return;
    const isReport = isOwnReport(pass);
    const sent = this.#thread?.sent ?? 0; // before ours: a key that the thread sends meanwhile is the last
    if (!isViewer) this.#send(pass);
    else if (!isReport && !this.#isLeaving) this.#options.ignored();
    this.#reportAt = isReport ? sent : null;
  }

  /** The first is what was asked for, unless it changed meanwhile. */
  resized(size: TerminalSize): void {
    const { request, attached } = this.#options;
    const isAsked = this.#isFirstSize && (request.size === null || isSame(request.size, size));
    this.#isFirstSize = false;
    if (!isAsked && isKnown(size)) attached().resize(size);
  }

  hungUp(): void {
    this.#options.hungUp();
  }

  #send(bytes: Uint8Array): void {
    const { person, loan } = this.#options;
    const attached = this.#options.attached();
    const lent = loan.inputFrame(bytes);
    if (lent === null) attached.input(bytes);
    else attached.send(lent);
    // A command that does not read holds its terminal back, and so do we.
    if (attached.isSent) return;
    person.listen(false);
    attached.onSent(() => person.listen(true));
  }
}
