/** The words of a command and its environment, taken apart when somebody wants them. */
import { bytesOf, startsWith } from "../protocol/bytes.ts";
import { SESSION_MARK } from "../protocol/session-id.ts";
import type { Asked, Words } from "./starter.ts";

const MARK = bytesOf(`${SESSION_MARK}=`);

export class CommandWords {
  readonly #isStartedAgain: boolean;
  readonly #given: Words;
  #words: ReturnType<Words["take"]> | null = null;

  constructor({ words, restart = null }: Pick<Asked, "words" | "restart">) {
    this.#given = words;
    this.#isStartedAgain = restart !== null;
  }

  get argv(): Uint8Array[] {
    return this.#taken().argv;
  }

  /** Without the mark of another session. */
  get env(): Uint8Array[] {
    return this.#taken().env;
  }

  /** With that of this one. */
  environment(id: string): Uint8Array[] {
    return [...this.env, bytesOf(`${SESSION_MARK}=${id}`)];
  }

  /** It has been started. Of what is started once nobody asks for its words again. */
  forget(): void {
    if (this.#isStartedAgain) return;
    this.#given.forget();
    this.#words = null;
  }

  #taken(): ReturnType<Words["take"]> {
    if (this.#words !== null) return this.#words;
    const { argv, env } = this.#given.take();
    this.#words = { argv, env: env.filter((entry) => !startsWith(entry, MARK)) };
    return this.#words;
  }
}
