/** Watches the resources that clients subscribed to, each once, and the directory of sessions. */
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

/** A client, or one of its `subscriptions/listen` requests. */
type Subscriber = string | number;

export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

export class ResourceWatcher implements Disposable {
  readonly #sessions: LocalSessions;
  readonly #followed = new Map<string, { following: AbortController; subscribers: Set<Subscriber> }>();
  #listener: ResourceListener = { updated() {}, listChanged() {} };
  #watcher: FSWatcher | null = null;
  #listTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  setListener(listener: ResourceListener): void {
    this.#listener = listener;
    this.#watcher ??= this.#watchList();
  }

  /** Follows the resource from now on until its session ends. Unknown URIs are ignored. */
  add(uri: string, subscriber: Subscriber): void {
    const [, id] = URI.exec(uri) ?? [];
    const known = this.#followed.get(uri);
    known?.subscribers.add(subscriber);
    if (id === undefined || known !== undefined || this.#followed.size >= MAX_FOLLOWED) return;
    const followed = { following: new AbortController(), subscribers: new Set([subscriber]) };
    this.#followed.set(uri, followed);
    void this.#follow(uri, id, followed.following.signal).finally(() => {
      if (this.#followed.get(uri) === followed) this.#followed.delete(uri);
    });
  }

  /** Stops following with the last subscriber. */
  remove(uri: string, subscriber: Subscriber): void {
    const followed = this.#followed.get(uri);
    if (followed?.subscribers.delete(subscriber) !== true || followed.subscribers.size > 0) return;
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
    const notify = (): void => {
      timer = null;
      this.#listener.updated(uri);
    };
    try {
      const cursor = this.#sessions.get(id).output_bytes;
      for await (const item of follow({ id, cursor, signal, layout: this.#sessions.layout })) {
        if (item.type !== "end") timer ??= setTimeout(notify, NOTIFY_EVERY_MS);
        else notify();
      }
    } catch {
      // The session was removed.
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
      return null; // clients can still list the sessions
    }
  }
}
