/** The words of a command and its environment, taken apart when somebody wants them. */
import { bytesOf, startsWith } from "../protocol/bytes.ts";
import { SESSION_MARK } from "../protocol/session-id.ts";
import type { Asked } from "./starter.ts";

const MARK = bytesOf(`${SESSION_MARK}=`);

type Words = ReturnType<Asked["words"]>;

export class CommandWords {
  readonly #isStartedAgain: boolean;
  #take: () => Words;
  #words: Words | null = null;

  constructor({ words, restart = null }: Pick<Asked, "words" | "restart">) {
    this.#take = words;
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
    this.#words = { argv: [], env: [] };
    this.#take = () => ({ argv: [], env: [] });
  }

  #taken(): Words {
    if (this.#words !== null) return this.#words;
    const { argv, env } = this.#take();
    this.#words = { argv, env: env.filter((entry) => !startsWith(entry, MARK)) };
    return this.#words;
  }
}
