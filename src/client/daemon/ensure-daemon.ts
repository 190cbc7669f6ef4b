/**
 * Connects to the daemon of the state directory, or starts one. A new daemon clears what a dead one
 * left behind (daemon/lifecycle/main.ts).
 *
 * Methods are only ever added, so a client uses a newer daemon as it is. It shuts an older one
 * down, which ends no session, and starts one of its own version.
 */
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { isOlder, VERSION } from "../../protocol/types/version.ts";
import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";
import { DaemonClient } from "./daemon-client.ts";
import { daemonProcess } from "./end-daemon.ts";
import { stateError } from "../state-error.ts";
import { closerOf, privatePipe, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { readSync } from "../../platform/fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { parseAnswer } from "../../protocol/wire/json-rpc.ts";
import { spawnDaemon } from "./spawn-daemon.ts";

const DEADLINE_MS = 10_000;
const POLL_MS = 5;
/**
 * A daemon that is ending closes the connection without an answer once or twice. After more
 * failures the listener is not a daemon.
 */
const MAX_FAILURES = 8;
const MAX_PAUSE_MS = 500;
/** If the old daemon is just ending, the first new one may find the lock held and exit. */
const RESTART_AFTER_MS = 500;

export async function ensureDaemon(layout: Layout): Promise<DaemonClient> {
  const deadline = performance.now() + DEADLINE_MS;
  let starting: StartingDaemon | null = null;
  let isSilent = false;
  let failures = 0;
  try {
    for (
      let startedAt = Number.NEGATIVE_INFINITY;
      performance.now() < deadline;
      await Bun.sleep(pauseAfter(failures))
    ) {
      const failure = starting?.failure ?? null;
      const client = await DaemonClient.dial(layout);
      if (client === null && failure !== null) throw failure;
      const state = client === null ? "gone" : await probe(client, deadline);
      if (client !== null && state === "usable") return client;
      isSilent = state === "silent";
      if (client !== null && ++failures === MAX_FAILURES) throw notADaemon(layout);
      if (client !== null || performance.now() < startedAt + RESTART_AFTER_MS) continue;
      startedAt = performance.now();
      starting?.[Symbol.dispose]();
      // Also makes a running daemon bind a missing socket again (daemon/lifecycle/daemon-lock.ts).
      starting = new StartingDaemon(layout);
    }
  } catch (error) {
    throw stateError(error, "start a daemon");
  } finally {
    starting?.[Symbol.dispose]();
  }
  throw unreachableDaemon(layout, isSilent);
}

function pauseAfter(failures: number): number {
  return Math.min(MAX_PAUSE_MS, POLL_MS * 2 ** failures);
}

function notADaemon(layout: Layout): HoltError {
  return new HoltError(
    "EIO",
    `the process at ${daemonSocketPath(layout)} does not answer as a daemon: ${MAX_FAILURES} tries`,
    {
      hint: "end the program that listens there; the next call starts a daemon",
    },
  );
}

function unreachableDaemon(layout: Layout, isSilent: boolean): HoltError {
  const daemon = daemonProcess(layout);
  const subject = daemon === null ? "the daemon" : `the daemon, pid ${daemon.pid},`;
  if (isSilent || daemon !== null)
    return new HoltError("ETIMEOUT", `${subject} does not ${isSilent ? "answer" : "listen"}`, {
      hint: "`holt daemon restart` replaces it; sessions keep running",
    });
  return new HoltError("ETIMEOUT", "the daemon does not start", { hint: `see ${layout.logFile}` });
}

/** Closes the connection unless the result is "usable". */
async function probe(client: DaemonClient, deadline: number): Promise<"usable" | "gone" | "silent"> {
  const remaining = (): number => deadline - performance.now();
  try {
    const { version } = await client.call("health.info", {}, { answerMs: remaining() });
    if (!isOlder(version, VERSION)) return "usable";
    await client.call("daemon.shutdown", {}, { answerMs: remaining() });
    await client.waitForClose(remaining());
  } catch (error) {
    if (error instanceof HoltError && error.code === "ETIMEOUT") {
      client[Symbol.dispose]();
      return "silent";
    }
    // the daemon ended in the meantime
  }
  client[Symbol.dispose]();
  return "gone";
}

/** The daemon reports its error in one write, which a pipe takes whole. */
const REFUSAL_BYTES = 4096;

/**
 * A daemon that is starting. It reports a failure to start through a pipe, because its log may be
 * on the disk that is full.
 */
class StartingDaemon implements Disposable {
  readonly #errorPipe: number;
  readonly #close: () => void;
  #failure: HoltError | null = null;

  constructor(layout: Layout) {
    const { readEnd, writeEnd } = privatePipe();
    this.#errorPipe = readEnd;
    this.#close = closerOf(readEnd);
    using _childEnd = { [Symbol.dispose]: closerOf(writeEnd) };
    try {
      setNonBlocking(readEnd);
      spawnDaemon(layout, writeEnd);
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Null while the daemon starts, when it serves, and when it exited because another one runs. */
  get failure(): HoltError | null {
    this.#failure ??= this.#readFailure();
    return this.#failure;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #readFailure(): HoltError | null {
    const block = new Uint8Array(REFUSAL_BYTES);
    try {
      const length = readSync(this.#errorPipe, block);
      if (length === 0) return null;
      const { outcome } = parseAnswer(textOf(block.subarray(0, length)));
      return "error" in outcome ? outcome.error : null;
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") return null;
      throw error;
    }
  }
}
