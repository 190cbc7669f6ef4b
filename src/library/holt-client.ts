/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The typed client. A call that finds the connection lost dials again; one that was under way when it was lost fails with EIO, since it may have
 * been carried out. A stream goes on at its cursor, with no gap and no byte twice, whatever becomes of the daemon in between.
 */
import { HoltError } from "../protocol/errors.ts";
import { Connection } from "./connection.ts";
import { type DaemonPlace, findDaemon } from "./find-daemon.ts";
import type { Methods, Notifications } from "./methods.ts";
import { changes, follow } from "./streams.ts";

export type ConnectOptions = DaemonPlace;

export interface CallOptions {
  /** Cancels the call, also inside the daemon. */
  signal?: AbortSignal;
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

const FRESH_MS = 20;

export async function connect(place: ConnectOptions = {}): Promise<HoltClient> {
  const client = new HoltClient(place);
  await client.call("health.info", {});
  return client;
}

export class HoltClient implements AsyncDisposable {
  readonly #place: DaemonPlace;
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  /** Those of streams among them. */
  readonly #open = new Set<Connection>();
  #isClosed = false;
  #lastUse = 0;

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
  follow(session_id: string, { cursor = "0", signal }: FollowOptions = {}): AsyncGenerator<Output, Exit | null, void> {
    return follow({ dial: () => this.#dial(), signal: signal ?? null }, session_id, cursor);
  }

  /**
   * Every session that comes and goes, from now on. It goes on with the next daemon; what came or went while there was none is told by
   * `session.list` alone.
   */
  sessions({ signal }: CallOptions = {}): AsyncGenerator<Change, void, void> {
    return changes({ dial: () => this.#dial(), signal: signal ?? null });
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
