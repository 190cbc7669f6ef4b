/** One who is attached by hand and lends a terminal (protocol/loan.ts): what came there, and what came as frames. */
import { threadsOf } from "../../src/platform/thread-look.ts";
import { ATTACH_FRAME, decodeOutput } from "../../src/protocol/attach.ts";
import { decodeJson, encodeJsonFrame } from "../../src/protocol/frames.ts";
import { decodeReturned, encodeLentInput, NOT_LENT } from "../../src/protocol/loan.ts";
import { HELLO, RawClient } from "../chaos/raw-client.ts";
import { until } from "../chaos/size.ts";
import { UnreadTerminal } from "../chaos/unread-terminal.ts";

const NOTHING = new Uint8Array(0);
const REQUEST = {
  role: "driver",
  replay: "none",
  size: { cols: 80, rows: 24, width: 0, height: 0 },
  scrollback: 0,
  raw_bytes: 0,
};
const PPOLL = 271;
/** A key thread polls two. */
const RELAYED_DESCRIPTORS = 3n;

export async function attached(path: string, request: object): Promise<RawClient> {
  const client = await RawClient.dial(path);
  await client.say(HELLO, encodeJsonFrame(ATTACH_FRAME.attach, { ...REQUEST, ...request }));
  await client.hears(ATTACH_FRAME.replay);
  return client;
}

export function takesLoans({ frames }: RawClient): unknown {
  const replay = frames.find(({ type }) => type === ATTACH_FRAME.replay);
  return decodeJson(replay?.payload ?? NOTHING)?.["takes_loans"];
}

export function outputs({ frames }: RawClient): string[] {
  return frames.flatMap(({ type, payload }) => {
    const output = type === ATTACH_FRAME.output ? decodeOutput(payload) : null;
    return output === null ? [] : [Buffer.from(output.bytes).toString()];
  });
}

/** Whether the next key goes to the command without a turn of the holder's loop (holder/relay.ts). */
export function isRelaying(holder: number): boolean {
  return threadsOf(holder).some(({ call }) => call?.number === PPOLL && call.args[1] === RELAYED_DESCRIPTORS);
}

export class Lender implements Disposable {
  readonly client: RawClient;
  readonly #terminal: UnreadTerminal;
  #lent = "";
  #sent = 0;
  #isGone = false;

  private constructor(client: RawClient, terminal: UnreadTerminal) {
    this.client = client;
    this.#terminal = terminal;
  }

  static async attach(path: string, request: object = {}): Promise<Lender> {
    const terminal = new UnreadTerminal();
    return new Lender(await attached(path, { ...request, terminal: terminal.slave }), terminal);
  }

  /** On the terminal. */
  get lent(): string {
    this.#lent += this.#terminal.read().toString();
    return this.#lent;
  }

  get output(): string {
    return outputs(this.client).join("");
  }

  get returned(): { taken: number; next: number } | null {
    const returned = this.client.frames.findLast(({ type }) => type === ATTACH_FRAME.returned);
    return returned === undefined ? null : decodeReturned(returned.payload);
  }

  errors(): unknown[] {
    const ERROR = 6;
    return this.client.frames.filter(({ type }) => type === ERROR).map(({ payload }) => decodeJson(payload)?.["code"]);
  }

  /** The frame of a key, with the loan of the terminal. */
  frame(keys: string | Uint8Array): Uint8Array {
    this.#sent++;
    const shown = 1 + outputs(this.client).length; // the replay is the first
    return encodeLentInput(shown, Buffer.from(keys));
  }

  async type(keys: string): Promise<void> {
    await this.client.say(this.frame(keys));
  }

  /** Types what is echoed as it is, and waits for that. */
  async echoes(keys: string): Promise<void> {
    const before = this.lent.length + this.output.length;
    await this.type(keys);
    await until(`the echo of ${keys}`, () => this.lent.length + this.output.length >= before + keys.length);
  }

  /** All that was typed has been taken, and the terminal is one's own again. */
  async isBack(): Promise<{ taken: number; next: number }> {
    this.#sent++;
    await this.client.say(encodeLentInput(NOT_LENT, NOTHING));
    await until("the terminal is back", () => this.returned?.taken === this.#sent);
    return this.returned ?? { taken: 0, next: 0 };
  }

  [Symbol.dispose](): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.client[Symbol.dispose]();
    this.#terminal[Symbol.dispose]();
  }
}
