/** Sessions whose keys may go through a relay, and the same where there is none. */
import { until } from "../chaos/size.ts";
import { AttachBench } from "../support/attach-bench.ts";
import { isRelaying, Lender } from "../support/lender.ts";

export const KEYS = "abcdefghijklmnopqrstuvwxyz0123456789";
export const READY = "ready\r\n";
/** The terminal echoes, and nothing else is printed. */
export const QUIET = "stty -icanon; echo ready; exec cat > /dev/null";
const HAS_RELAY = process.platform === "linux" && process.arch === "x64";

export const WAYS: [string, Record<string, string>][] = [
  ["with a relay", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
];

export interface Typed {
  bench: AttachBench;
  id: string;
  holder: number;
  path: string;
  lender: Lender;
  /** Until the next key needs no turn of the loop, where that can be. */
  relays: () => Promise<void>;
}

export type Typing = (
  work: (typed: Typed) => Promise<void>,
  how?: { script?: string; options?: string[] },
) => Promise<void>;

export const isRelayed = (extra: Record<string, string>): boolean => HAS_RELAY && extra["HOLT_NO_NATIVE"] === undefined;

/** One who has typed a key already. */
export function typingWith(extra: Record<string, string>): Typing {
  return async (work, { script = QUIET, options = [] } = {}) => {
    using bench = new AttachBench(extra);
    const id = await bench.start(script, options);
    await until("it is ready", () => bench.output(id).includes("ready"));
    const { socket, holder } = bench.meta(id);
    using lender = await Lender.attach(socket ?? "");
    const relays = async (): Promise<void> => {
      if (isRelayed(extra)) await until("a relay stands by", () => isRelaying(holder.pid));
    };
    await lender.echoes("^");
    await relays();
    await work({ bench, id, holder: holder.pid, path: socket ?? "", lender, relays });
    await bench.end(id);
  };
}
