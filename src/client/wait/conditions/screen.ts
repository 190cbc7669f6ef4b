/**
 * The condition `screen`: a pattern on the current screen, also one that was there before the call.
 * The holder sends the screen and its changes; they are rendered here, and checked a moment after
 * new output.
 */
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import type { Emulator } from "../../../terminal/emulator/emulator.ts";
import { screenText } from "../../../terminal/screen/screen-text.ts";
import { requireTerminal } from "../../../rendering/screen-at.ts";
import { AttachConnection } from "../../attach/attach-connection.ts";
import { isBoundedPattern, type PatternSearch, searchInProcess } from "../../read/pattern-search.ts";
import { searchInChildProcess } from "../../read/search-process.ts";
import { screenOf } from "../../read/screen.ts";
import { viewerRequest } from "../../read/viewer-request.ts";
import type { WatchContext, Watcher } from "./condition.ts";

const CHECK_DELAY_MS = 20;
const REATTACH_MS = 100;

export function watchScreen(context: WatchContext, pattern: RegExp): Watcher {
  const stop = new AbortController();
  const search: PatternSearch = isBoundedPattern(pattern) ? searchInProcess(pattern) : searchInChildProcess(pattern);
  const check = async (text: string): Promise<void> => {
    const { found, unjudged } = await search.find(text, 0);
    if (unjudged !== null) context.unjudged();
    if (found !== null) context.meet({ outcome: "screen_matched", match: found.match });
  };
  const screenCheck = new ScreenCheck(check);
  watch(context, screenCheck, stop.signal).catch((error: unknown) => {
    // The wait detects the session's end itself.
    if (!(error instanceof HoltError && error.code === "ESESSIONCLOSED")) context.fail(error);
  });
  return {
    async ended() {
      const { sessions, id } = context;
      const { signal } = stop;
      const { screen } = await screenOf({ sessions, session: sessions.get(id), at: null, progress() {}, signal });
      await check(screenText(screen));
    },
    [Symbol.dispose]() {
      stop.abort();
      screenCheck[Symbol.dispose]();
      search[Symbol.dispose]();
    },
  };
}

/** Attaches again when the holder closes the connection, so that no change is missed. */
async function watch(context: WatchContext, screenCheck: ScreenCheck, signal: AbortSignal): Promise<void> {
  requireTerminal(context.sessions.get(context.id));
  while (!signal.aborted) {
    await watchOnce(context, screenCheck, signal);
    if (isFinal(context.sessions.get(context.id).state)) return;
    await Bun.sleep(REATTACH_MS);
  }
}

async function watchOnce({ sessions, id }: WatchContext, screenCheck: ScreenCheck, signal: AbortSignal): Promise<void> {
  const session = sessions.get(id);
  const { Emulator } = await import("../../../terminal/emulator/emulator.ts");
  using connection = await AttachConnection.open(session, viewerRequest("wait", { once: false }), signal);
  for (let item = await connection.next(); item !== null; item = await connection.next()) {
    if (item.type === "replay") {
      const emulator = new Emulator({ cols: item.head.cols, rows: item.head.rows, scrollback: 0 });
      emulator.write(item.bytes);
      screenCheck.show(emulator);
    } else if (item.type === "output") screenCheck.write(item.bytes);
    else if (item.type === "refused") throw item.error;
    else if (item.type === "end") return;
  }
}

class ScreenCheck implements Disposable {
  readonly #onScreen: (text: string) => Promise<void>;
  #emulator: Emulator | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(onScreen: (text: string) => Promise<void>) {
    this.#onScreen = onScreen;
  }

  show(emulator: Emulator): void {
    this.#emulator?.[Symbol.dispose]();
    this.#emulator = emulator;
    this.#checkSoon();
  }

  write(bytes: Uint8Array): void {
    this.#emulator?.write(bytes);
    this.#checkSoon();
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#emulator?.[Symbol.dispose]();
    this.#emulator = null;
  }

  /** Checks never overlap. */
  #checkSoon(): void {
    this.#timer ??= setTimeout(() => void this.#check(), CHECK_DELAY_MS);
  }

  async #check(): Promise<void> {
    if (this.#emulator !== null) await this.#onScreen(screenText(this.#emulator.screen()));
    this.#timer = null;
  }
}
