/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The typed client. A call that finds the connection lost dials again; one that was under way when it was lost fails with EIO, since it may have
 * been carried out. A stream goes on at its cursor, with no gap and no byte twice, whatever becomes of the daemon in between.
 */
import { HoltError } from "../protocol/errors.ts";
import { Connection } from "./connection.ts";
import { type DaemonPlace, findDaemon } from "./find-daemon.ts";
import type { Methods, Notifications } from "./methods.ts";
import { Notices } from "./notices.ts";

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

type Exit = Notifications["session.exited"];

const FRESH_MS = 20;
/** How often a daemon that dies at once is started again. */
const MOST_ATTEMPTS = 5;

export async function connect(place: ConnectOptions = {}): Promise<HoltClient> {
  const client = new HoltClient(place);
  await client.call("health.info", {});
  return client;
}

export class HoltClient implements AsyncDisposable {
  readonly #place: DaemonPlace;
  #connection: Connection | null = null;
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
  async *follow(
    session_id: string,
    { cursor = "0", signal }: FollowOptions = {},
  ): AsyncGenerator<Output, Exit | null, void> {
    let next = cursor;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      if (signal?.aborted === true) return null;
      const connection = await this.#dial();
      try {
        const notices = new Notices(connection, signal ?? null);
        await connection.call("session.subscribe", { session_id, cursor: next }, null);
        for (let notice = await notices.next(); notice !== null; notice = await notices.next()) {
          if (notice.method === "session.exited") return notice.params as Exit;
          if (notice.method !== "session.output") continue;
          const output = notice.params as Notifications["session.output"];
          next = output.next_cursor;
          attempt = 0;
          yield outputOf(output);
        }
      } catch (error) {
        if (!(error instanceof HoltError) || error.code !== "EIO") throw error;
      } finally {
        connection.close();
      }
    }
    throw new HoltError("EIO", `the daemon does not stay up; the output of ${session_id} goes on at cursor ${next}`);
  }

  /** Every session that comes and goes, from now on; ends with the daemon. */
  async *sessions({
    signal,
  }: CallOptions = {}): AsyncGenerator<
    { type: "started"; session: Notifications["session.started"] } | { type: "exited"; session: Exit },
    void,
    void
  > {
    const connection = await this.#dial();
    try {
      const notices = new Notices(connection, signal ?? null);
      await connection.call("session.subscribe", { events: ["started", "exited"] }, null);
      for (let notice = await notices.next(); notice !== null; notice = await notices.next()) {
        if (notice.method === "session.started")
          yield { type: "started", session: notice.params as Notifications["session.started"] };
        else yield { type: "exited", session: notice.params as Exit };
      }
    } finally {
      connection.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** A connection that was not used for a moment may be dead without our knowing: canceling nothing is the least that can be asked of it. */
  async #connected(): Promise<Connection> {
    const known = this.#connection;
    if (known !== null && !known.isClosed) {
      if (performance.now() - this.#lastUse < FRESH_MS) return known;
      const isThere = await known.call("$/cancelRequest", {}, null).then(
        () => true,
        () => false,
      );
      if (isThere) return known;
    }
    this.#connection = await this.#dial();
    return this.#connection;
  }

  async #dial(): Promise<Connection> {
    if (this.#isClosed) throw new HoltError("EIO", "this client was closed");
    const path = await findDaemon(this.#place);
    const connection = await Connection.dial(path);
    if (connection !== null) return connection;
    throw new HoltError("EIO", `nobody listens at ${path}`, { hint: "`holt daemon` starts a daemon" });
  }
}

function outputOf({
  channel,
  cursor,
  next_cursor,
  timestamp,
  data,
  truncated,
}: Notifications["session.output"]): Output {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return { channel, cursor, next_cursor, timestamp, bytes, truncated };
}
