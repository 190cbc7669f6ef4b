/** The resources that clients asked to be told about, each followed once, and the directory of sessions. */
import { type FSWatcher, watch } from "node:fs";
import { follow } from "../../client/read/follow.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";

const NOTIFY_EVERY_MS = 250;
const MAX_FOLLOWED = 256;

export type Part = "output" | "screen";

export const SESSION_URI = (part: Part): string => `holt://sessions/{id}/${part}`;
const URI = /^holt:\/\/sessions\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})\/(?:output|screen)$/;

export function sessionUri(id: string, part: Part): string {
  return `holt://sessions/${id}/${part}`;
}

/** Who asked to be told: the client, or one of the requests in which it listens. */
type Subscriber = string | number;

export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

export class ResourceWatcher implements Disposable {
  readonly #sessions: LocalSessions;
  readonly #followed = new Map<string, { following: AbortController; askers: Set<Subscriber> }>();
  #listener: ResourceListener = { updated() {}, listChanged() {} };
  #watcher: FSWatcher | null = null;
  #listTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  setListener(told: ResourceListener): void {
    this.#listener = told;
    this.#watcher ??= this.#watchList();
  }

  /** From now on, until its session ends. What is no session's is nobody's, and told of nothing. */
  add(uri: string, asker: Subscriber): void {
    const [, id] = URI.exec(uri) ?? [];
    const known = this.#followed.get(uri);
    known?.askers.add(asker);
    if (id === undefined || known !== undefined || this.#followed.size >= MAX_FOLLOWED) return;
    const followed = { following: new AbortController(), askers: new Set([asker]) };
    this.#followed.set(uri, followed);
    void this.#follow(uri, id, followed.following.signal).finally(() => {
      if (this.#followed.get(uri) === followed) this.#followed.delete(uri);
    });
  }

  /** Once nobody asks any more, nothing is followed. */
  remove(uri: string, asker: Subscriber): void {
    const followed = this.#followed.get(uri);
    if (followed?.askers.delete(asker) !== true || followed.askers.size > 0) return;
    followed.following.abort();
    this.#followed.delete(uri);
  }

  [Symbol.dispose](): void {
    for (const { following } of this.#followed.values()) following.abort();
    this.#watcher?.close();
    if (this.#listTimer !== null) clearTimeout(this.#listTimer);
  }

  async #follow(uri: string, id: string, signal: AbortSignal): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const tell = (): void => {
      timer = null;
      this.#listener.updated(uri);
    };
    try {
      const cursor = this.#sessions.get(id).output_bytes;
      for await (const item of follow({ id, cursor, signal, layout: this.#sessions.layout })) {
        if (item.type !== "end") timer ??= setTimeout(tell, NOTIFY_EVERY_MS);
        else tell();
      }
    } catch {
      // It was removed: there is nothing more to tell.
    }
    if (timer !== null) clearTimeout(timer);
  }

  #watchList(): FSWatcher | null {
    try {
      this.#sessions.prepare();
      const watcher = watch(this.#sessions.layout.sessions, { persistent: false }, () => {
        this.#listTimer ??= setTimeout(() => {
          this.#listTimer = null;
          this.#listener.listChanged();
        }, NOTIFY_EVERY_MS);
      });
      watcher.on("error", () => {});
      return watcher;
    } catch {
      return null; // a client that lists finds them all the same
    }
  }
}
