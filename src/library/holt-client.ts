/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The typed client. It reconnects before a call if the connection was lost; a call that was pending
 * then fails with EIO, as it may have been carried out. A stream continues at its cursor across
 * daemon restarts, without gap or repetition.
 */
import { HoltError } from "../protocol/types/errors.ts";
import { Connection } from "./connection.ts";
import { type DaemonLocation, findDaemon } from "./find-daemon.ts";
import type { Methods, Notifications } from "./methods.ts";
import { type Notification, notifications, type Subscription } from "./notifications.ts";
import { NotificationQueue } from "./notification-queue.ts";

export type ConnectOptions = DaemonLocation;

export interface CallOptions {
  /** Cancels the call, also inside the daemon. */
  signal?: AbortSignal | undefined;
}

export interface FollowOptions extends CallOptions {
  /** Where to begin; default "0": all recorded output. */
  cursor?: string;
}

/** A piece of a session's output. */
export interface Output {
  channel: string | null;
  cursor: string;
  next_cursor: string;
  timestamp: string | null;
  bytes: Uint8Array;
  /** These bytes were not captured. */
  truncated: boolean;
}

export type Exit = Notifications["session.exited"];

/** An item of `sessions()`. */
export type Change = { type: "started"; session: Notifications["session.started"] } | { type: "exited"; session: Exit };

export type ExecNotification = Extract<Notification, { method: "exec.output" | "exec.completed" | "exec.failed" }>;
export type BackgroundParams = Omit<Methods["exec.run_background"]["params"], "notify_on">;

export interface Background {
  session_id: string;
  /** Its output, and at the end exec.completed or exec.failed; continues across daemon restarts. */
  notifications: AsyncGenerator<ExecNotification, void, void>;
}

const RECENTLY_USED_MS = 20;

export async function connect(place: ConnectOptions = {}): Promise<HoltClient> {
  const client = new HoltClient(place);
  await client.call("health.info", {});
  return client;
}

export class HoltClient implements AsyncDisposable {
  readonly #location: DaemonLocation;
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  /** All open connections, those of streams included. */
  readonly #open = new Set<Connection>();
  #isClosed = false;
  #wasReached = false;
  #lastUse = 0;
  readonly #dialer = { dial: () => this.#dial(), mayReconnect: () => this.#wasReached && !this.#isClosed };

  constructor(place: ConnectOptions = {}) {
    this.#location = place;
  }

  async call<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    { signal }: CallOptions = {},
  ): Promise<Methods[M]["result"]> {
    const connection = await this.#connected();
    this.#lastUse = performance.now();
    return (await connection.call(method, params, signal ?? null)) as Methods[M]["result"];
  }

  /** Yields output from the cursor on, then live output; returns how the session ended. */
  async *follow(
    session_id: string,
    { cursor = "0", signal }: FollowOptions = {},
  ): AsyncGenerator<Output, Exit | null, void> {
    const notified = this.subscribe({ session_id, cursor, events: ["output", "exited"] }, { signal });
    for await (const { method, params } of notified) {
      if (method === "session.exited") return params;
      if (method === "session.output") yield outputOf(params);
    }
    return null;
  }

  /**
   * Yields the start and end of every session from now on. It continues with the next daemon;
   * events in between are only visible in `session.list`.
   */
  async *sessions({ signal }: CallOptions = {}): AsyncGenerator<Change, void, void> {
    for await (const { method, params } of this.subscribe({ events: ["started", "exited"] }, { signal })) {
      if (method === "session.started") yield { type: "started", session: params };
      else if (method === "session.exited") yield { type: "exited", session: params };
    }
  }

  /**
   * Yields the notifications of session.subscribe across daemon restarts. For one session it
   * continues at its cursor and ends with the session; for all sessions, events without a daemon
   * are missed.
   */
  subscribe(subscription: Subscription = {}, { signal }: CallOptions = {}): AsyncGenerator<Notification, void, void> {
    return notifications(this.#dialer, { subscription, signal: signal ?? null });
  }

  /** Starts a command in the background and yields its output and end. */
  async background(params: BackgroundParams, { signal }: CallOptions = {}): Promise<Background> {
    const connection = await this.#dial();
    const queue = new NotificationQueue(connection, signal ?? null);
    try {
      const request = { ...params, notify_on: ["exit", "output"] };
      const result = await connection.call("exec.run_background", request, signal ?? null);
      const { session_id } = result as Methods["exec.run_background"]["result"];
      const notified = notifications(this.#dialer, {
        subscription: { session_id, cursor: "0", events: ["exec.output", "exec.completed", "exec.failed"] },
        signal: signal ?? null,
        existing: { connection, queue },
      });
      return { session_id, notifications: notified as AsyncGenerator<ExecNotification, void, void> };
    } catch (error) {
      queue.end();
      throw error;
    }
  }

  /** Closes all connections and ends all streams. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Concurrent calls share one attempt. */
  #connected(): Promise<Connection> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  /** An idle connection may be dead without an event; canceling no call is the cheapest test. */
  async #connect(): Promise<Connection> {
    const current = this.#connection;
    if (current !== null && !current.isClosed) {
      if (performance.now() - this.#lastUse < RECENTLY_USED_MS) return current;
      const isAlive = await current.call("$/cancelRequest", {}, null).then(
        () => true,
        () => false,
      );
      if (isAlive) return current;
      current.close();
    }
    this.#connection = await this.#dial();
    return this.#connection;
  }

  async #dial(): Promise<Connection> {
    this.#requireOpen();
    const path = await findDaemon(this.#location);
    const connection = await Connection.dial(path);
    if (connection === null)
      throw new HoltError("EIO", `no daemon listens at ${path}`, { hint: "`holt daemon` starts a daemon" });
    this.#wasReached = true;
    connection.onClose = () => this.#open.delete(connection);
    this.#open.add(connection);
    if (this.#isClosed) connection.close();
    this.#requireOpen();
    return connection;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new HoltError("EIO", "this client was closed");
  }
}

function outputOf(output: Notifications["session.output"]): Output {
  const { channel, cursor, next_cursor, timestamp, data, truncated } = output;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return { channel, cursor, next_cursor, timestamp, bytes, truncated };
}
