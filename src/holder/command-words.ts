/** The words of a command and its environment, decoded when they are needed. */
import { bytesOf, startsWith } from "../protocol/bytes.ts";
import { SESSION_MARK } from "../protocol/session-id.ts";
import type { StartRequest } from "../protocol/start-request.ts";

const MARK = bytesOf(`${SESSION_MARK}=`);

export class CommandWords {
  readonly #isStartedAgain: boolean;
  #encoded: Pick<StartRequest, "argv" | "env">;
  #decoded: { argv: Uint8Array[]; env: Uint8Array[] } | null = null;

  constructor({ argv, env, restart = null }: Pick<StartRequest, "argv" | "env" | "restart">) {
    this.#encoded = { argv, env };
    this.#isStartedAgain = restart !== null;
  }

  get argv(): Uint8Array[] {
    return this.#words().argv;
  }

  /** Without the mark of another session. */
  get env(): Uint8Array[] {
    return this.#words().env;
  }

  /** With the mark of this one. */
  environment(id: string): Uint8Array[] {
    return [...this.env, bytesOf(`${SESSION_MARK}=${id}`)];
  }

  /** Frees them once the command runs, unless it may be started again. */
  forget(): void {
    if (this.#isStartedAgain) return;
    this.#encoded = { argv: [], env: [] };
    this.#decoded = null;
  }

  #words(): { argv: Uint8Array[]; env: Uint8Array[] } {
    const decode = (entries: readonly string[]): Uint8Array[] => entries.map((entry) => Uint8Array.fromBase64(entry));
    this.#decoded ??= {
      argv: decode(this.#encoded.argv),
      env: decode(this.#encoded.env).filter((entry) => !startsWith(entry, MARK)),
    };
    return this.#decoded;
  }
}
