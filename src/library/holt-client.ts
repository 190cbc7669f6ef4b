/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The typed client. A call that finds the connection lost dials again; one that was under way when it was lost fails with EIO, since it may have
 * been carried out. A stream goes on at its cursor, with no gap and no byte twice, whatever becomes of the daemon in between.
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
  /** Where to begin; "0" without it: everything that is kept. */
  cursor?: string;
}

/** A piece of a session's output. */
export interface Output {
  channel: string | null;
  cursor: string;
  next_cursor: string;
  timestamp: string | null;
  bytes: Uint8Array;
  /** These bytes were not kept. */
  truncated: boolean;
}

export type Exit = Notifications["session.exited"];

/** What `sessions()` tells. */
export type Change = { type: "started"; session: Notifications["session.started"] } | { type: "exited"; session: Exit };

export type ExecNotification = Extract<Notification, { method: "exec.output" | "exec.completed" | "exec.failed" }>;
export type BackgroundParams = Omit<Methods["exec.run_background"]["params"], "notify_on">;

export interface Background {
  session_id: string;
  /** Its output, and last exec.completed or exec.failed, whatever becomes of the daemon in between. */
  notifications: AsyncGenerator<ExecNotification, void, void>;
}

const FRESH_MS = 20;

export async function connect(place: ConnectOptions = {}): Promise<HoltClient> {
  const client = new HoltClient(place);
  await client.call("health.info", {});
  return client;
}

export class HoltClient implements AsyncDisposable {
  readonly #place: DaemonLocation;
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  /** Those of streams among them. */
  readonly #open = new Set<Connection>();
  #isClosed = false;
  #wasReached = false;
  #lastUse = 0;
  readonly #dialling = { dial: () => this.#dial(), isHopeful: () => this.#wasReached && !this.#isClosed };

  constructor(place: ConnectOptions = {}) {
    this.#place = place;
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

  /** Output from the cursor on, and then live; returns how the session ended. */
  async *follow(
    session_id: string,
    { cursor = "0", signal }: FollowOptions = {},
  ): AsyncGenerator<Output, Exit | null, void> {
    const told = this.subscribe({ session_id, cursor, events: ["output", "exited"] }, { signal });
    for await (const { method, params } of told) {
      if (method === "session.exited") return params;
      if (method === "session.output") yield outputOf(params);
    }
    return null;
  }

  /**
   * Every session that comes and goes, from now on. It goes on with the next daemon; what came or went while there was none is told by
   * `session.list` alone.
   */
  async *sessions({ signal }: CallOptions = {}): AsyncGenerator<Change, void, void> {
    for await (const { method, params } of this.subscribe({ events: ["started", "exited"] }, { signal })) {
      if (method === "session.started") yield { type: "started", session: params };
      else if (method === "session.exited") yield { type: "exited", session: params };
    }
  }

  /**
   * What session.subscribe tells, in its words, whatever becomes of the daemon: of one session it goes on at its cursor, and ends with the session;
   * of all, what came or went while there was no daemon is not told.
   */
  subscribe(subscription: Subscription = {}, { signal }: CallOptions = {}): AsyncGenerator<Notification, void, void> {
    return notifications(this.#dialling, { subscription, signal: signal ?? null });
  }

  /** Starts a command in the background, and tells what it prints and how it ends. */
  async background(params: BackgroundParams, { signal }: CallOptions = {}): Promise<Background> {
    const connection = await this.#dial();
    const notices = new NotificationQueue(connection, signal ?? null);
    try {
      const begin = { ...params, notify_on: ["exit", "output"] };
      const result = await connection.call("exec.run_background", begin, signal ?? null);
      const { session_id } = result as Methods["exec.run_background"]["result"];
      const told = notifications(this.#dialling, {
        subscription: { session_id, cursor: "0", events: ["exec.output", "exec.completed", "exec.failed"] },
        signal: signal ?? null,
        begun: { connection, notices },
      });
      return { session_id, notifications: told as AsyncGenerator<ExecNotification, void, void> };
    } catch (error) {
      notices.end();
      throw error;
    }
  }

  /** Its streams end too. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Whoever calls meanwhile waits for the same one. */
  #connected(): Promise<Connection> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  /** A connection that was not used for a moment may be dead without our knowing: canceling nothing is the least that can be asked of it. */
  async #connect(): Promise<Connection> {
    const known = this.#connection;
    if (known !== null && !known.isClosed) {
      if (performance.now() - this.#lastUse < FRESH_MS) return known;
      const isThere = await known.call("$/cancelRequest", {}, null).then(
        () => true,
        () => false,
      );
      if (isThere) return known;
      known.close();
    }
    this.#connection = await this.#dial();
    return this.#connection;
  }

  async #dial(): Promise<Connection> {
    this.#requireOpen();
    const path = await findDaemon(this.#place);
    const connection = await Connection.dial(path);
    if (connection === null)
      throw new HoltError("EIO", `nobody listens at ${path}`, { hint: "`holt daemon` starts a daemon" });
    this.#wasReached = true;
    connection.closed = () => this.#open.delete(connection);
    this.#open.add(connection);
    if (this.#isClosed) connection.close();
    this.#requireOpen();
    return connection;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new HoltError("EIO", "this client was closed");
  }
}

function outputOf(told: Notifications["session.output"]): Output {
  const { channel, cursor, next_cursor, timestamp, data, truncated } = told;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return { channel, cursor, next_cursor, timestamp, bytes, truncated };
}
