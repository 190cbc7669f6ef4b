/** Sends an attached user's input and terminal size to the holder. */
import type { UserTty, UserTtyEvents } from "../../platform/tty/user-tty.ts";
import type { AttachRequest } from "../../protocol/wire/attach.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import type { DetachMatcher } from "../../terminal/keys/detach-keys.ts";
import type { AttachConnection } from "./attach-connection.ts";

/** Ctrl-C detaches a viewer, whose input is not sent. */
const CTRL_C = 3;

export interface AttachKeysOptions {
  tty: UserTty;
  request: AttachRequest;
  detachKeys: DetachMatcher;
  /** The current connection; it changes with each reattach. */
  connection: () => AttachConnection;
  onDetach(): void;
  /** Called for input of a viewer. */
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
  /** True if the last input was a report of the terminal, not a key. */
  #wasReport = false;

  constructor(options: AttachKeysOptions) {
    this.#options = options;
  }

  /**
   * Called when the holder has accepted the client. Earlier input stays in the terminal, for the
   * shell in case of a refusal.
   */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#options.tty.begin(this);
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

  /** The first size is the one of the request, unless the window changed since. */
  resized(size: TerminalSize): void {
    const { request, connection } = this.#options;
    const isRequested = this.#isFirstSize && (request.size === null || isSameSize(request.size, size));
    this.#isFirstSize = false;
    if (!isRequested && isKnownSize(size)) connection().resize(size);
  }

  /** A background attach is stopped as a job instead. */
  foregroundChanged(): void {}

  hungUp(): void {
    this.#options.onHangup();
  }

  #send(bytes: Uint8Array): void {
    const { tty } = this.#options;
    const connection = this.#options.connection();
    connection.input(bytes);
    // While the command does not read, the user's terminal is not read either.
    if (connection.isSent) return;
    tty.listen(false);
    connection.onSent(() => tty.listen(true));
  }
}

/**
 * Reports that a terminal sends by itself when a program enabled them: mouse and focus events, and
 * positions. No key was pressed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals send
const REPORTS = /^(?:\x1b\[(?:[IO]|<[\d;]+[Mm]|M[^]{3}|\d[\d;]+M))+$/;

function isOwnReport(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && REPORTS.test(Buffer.from(bytes).toString("latin1"));
}
