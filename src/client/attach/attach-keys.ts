/** What a person types while they are attached, on its way to the holder, and their terminal's size. */
import type { UserTty, UserTtyEvents } from "../../platform/tty/user-tty.ts";
import type { AttachRequest } from "../../protocol/wire/attach.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import type { DetachMatcher } from "../../terminal/keys/detach-keys.ts";
import type { AttachConnection } from "./attach-connection.ts";

/** Ctrl-C: to whoever cannot type, the way out. */
const CTRL_C = 3;

export interface AttachKeysOptions {
  person: UserTty;
  request: AttachRequest;
  detachKeys: DetachMatcher;
  /** The connection of the moment. */
  attached: () => AttachConnection;
  onDetach(): void;
  /** Typed where one only watches. */
  onIgnored(): void;
  onHangup(): void;
}

export function isKnownSize({ cols, rows }: { cols: number; rows: number }): boolean {
  return cols > 0 && rows > 0;
}

function isSameSize(one: { cols: number; rows: number }, other: { cols: number; rows: number }): boolean {
  return one.cols === other.cols && one.rows === other.rows;
}

export class AttachKeys implements UserTtyEvents {
  readonly #options: AttachKeysOptions;
  #hasBegun = false;
  #isFirstSize = true;
  #isLeaving = false;
  /** Whether the last bytes sent were a report of the terminal, and not typed. */
  #wasReport = false;

  constructor(options: AttachKeysOptions) {
    this.#options = options;
  }

  /** Once we are let in: until then what is typed stays in the terminal, for the shell if we are refused. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#options.person.begin(this);
  }

  get wasReport(): boolean {
    return this.#wasReport;
  }

  typed(bytes: Uint8Array): void {
    if (this.#isLeaving) return;
    const { request, detachKeys } = this.#options;
    const { pass, detached } = detachKeys.push(bytes);
    const isViewer = request.role === "viewer";
    this.#isLeaving = detached || (isViewer && pass.includes(CTRL_C));
    if (this.#isLeaving) this.#options.onDetach();
    if (pass.length === 0) return;
    const isReport = isOwnReport(pass);
    if (!isViewer) this.#send(pass);
    else if (!isReport && !this.#isLeaving) this.#options.onIgnored();
    this.#wasReport = isReport;
  }

  /** The first is what was asked for, unless it changed meanwhile. */
  resized(size: TerminalSize): void {
    const { request, attached } = this.#options;
    const isRequested = this.#isFirstSize && (request.size === null || isSameSize(request.size, size));
    this.#isFirstSize = false;
    if (!isRequested && isKnownSize(size)) attached().resize(size);
  }

  /** In the background an attach is stopped as a whole. */
  foregroundChanged(): void {}

  hungUp(): void {
    this.#options.onHangup();
  }

  #send(bytes: Uint8Array): void {
    const { person } = this.#options;
    const attached = this.#options.attached();
    attached.input(bytes);
    // A command that does not read holds its terminal back, and so do we.
    if (attached.isSent) return;
    person.listen(false);
    attached.onSent(() => person.listen(true));
  }
}

/** What a terminal sends of its own accord where a program asked for it: where the mouse is, and whether anybody looks. No key is behind it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals send
const REPORTS = /^(?:\x1b\[(?:[IO]|<[\d;]+[Mm]|M[^]{3}|\d[\d;]+M))+$/;

function isOwnReport(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && REPORTS.test(Buffer.from(bytes).toString("latin1"));
}
